# The probe for linux/amd64.
    .intel_syntax noprefix
    .include "probe.inc"
    elf64 62, 1, 0

start:
    sub rsp, STACK
    mov rbp, rsp                        # rbp: the buffer
    mov ebx, offset files               # rbx: the next string
next_file:
    cmp byte ptr [rbx], 0
    je link
    mov rsi, rbx
    xor edx, edx
    call open
    call skip                           # rbx: the name of the copy
    mov r12, rbx
    call skip
    test eax, eax
    js next_file
    mov edi, eax
    mov rsi, rbp
    mov edx, BUFFER
    xor eax, eax                        # read
    syscall
    mov r13, rax
    mov r14, rbp
    call store
    jmp next_file

link:
    mov edi, HERE
    mov esi, offset own_program
    mov rdx, rbp
    mov r10d, BUFFER
    mov eax, 267                        # readlinkat
    syscall
    mov r13, rax
    mov r14, rbp
    mov r12d, offset program_copy
    call store

    lea rdi, [rbp + TABLE]
    mov ecx, TABLE
    xor eax, eax
    rep stosb
    lea rsi, [rbp + CLOCK]
    call clock
    mov r8d, ITERATIONS
    mov eax, 1                          # eax: x
    xor ecx, ecx                        # ecx: sum
loop:
    imul eax, eax, MULTIPLIER
    add eax, INCREMENT
    mov edx, eax
    shr edx, 20
    and edx, 0xffc
    mov r9d, [rbp + rdx + TABLE]
    call mix
    mov [rbp + rdx + TABLE], r9d
    dec r8d
    jnz loop
    mov [rbp + CLOCK + 32], ecx
    lea rsi, [rbp + CLOCK + 16]
    call clock
    mov r12d, offset clock_copy
    lea r14, [rbp + CLOCK]
    mov r13d, 36
    call store
    xor edi, edi
    mov eax, 60                         # exit
    syscall

mix:
    mov r10d, eax
    shr r10d, 5
    xor r9d, r10d
    add ecx, r9d
    ret

clock:
    mov edi, PROCESSOR_TIME
    mov eax, 228                        # clock_gettime
    syscall
    ret

skip:
    inc rbx
    cmp byte ptr [rbx - 1], 0
    jne skip
    ret

open:                                   # rsi: path, edx: flags
    mov edi, HERE
    mov r10d, 0644
    mov eax, 257                        # openat
    syscall
    ret

store:                                  # r12: name, r14: content, r13: its length
    mov rsi, r12
    mov edx, CREATE
    call open
    mov edi, eax
    mov rsi, r14
    mov rdx, r13
    mov eax, 1                          # write
    syscall
    ret

    strings
