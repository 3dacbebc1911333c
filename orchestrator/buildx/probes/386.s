# The probe for linux/386.
    .intel_syntax noprefix
    .include "probe.inc"
    elf32 3, 0

start:
    sub esp, STACK + 64
    mov ebp, esp                        # ebp: the buffer; behind STACK: content and length for store
    mov esi, offset files               # esi: the next string
next_file:
    cmp byte ptr [esi], 0
    je link
    mov ecx, esi
    xor edx, edx
    call open
    mov edi, eax
    call skip                           # esi: the name of the copy
    push esi
    call skip
    pop ecx
    test edi, edi
    js next_file
    push esi
    push ecx
    mov ebx, edi
    mov ecx, ebp
    mov edx, BUFFER
    mov eax, 3                          # read
    int 0x80
    pop ecx
    mov edi, ebp
    mov edx, eax
    call store
    pop esi
    jmp next_file

link:
    mov ebx, HERE
    mov ecx, offset own_program
    mov edx, ebp
    mov esi, BUFFER
    mov eax, 305                        # readlinkat
    int 0x80
    mov edx, eax
    mov edi, ebp
    mov ecx, offset program_copy
    call store

    lea edi, [ebp + TABLE]
    mov ecx, TABLE
    xor eax, eax
    rep stosb
    lea ecx, [ebp + CLOCK]
    call clock
    mov esi, ITERATIONS
    mov eax, 1                          # eax: x
    xor ecx, ecx                        # ecx: sum
loop:
    imul eax, eax, MULTIPLIER
    add eax, INCREMENT
    mov edx, eax
    shr edx, 20
    and edx, 0xffc
    mov edi, [ebp + edx + TABLE]
    call mix
    mov [ebp + edx + TABLE], edi
    dec esi
    jnz loop
    mov [ebp + CLOCK + 16], ecx
    lea ecx, [ebp + CLOCK + 8]
    call clock
    mov ecx, offset clock_copy
    lea edi, [ebp + CLOCK]
    mov edx, 20
    call store
    xor ebx, ebx
    mov eax, 1                          # exit
    int 0x80

mix:
    mov ebx, eax
    shr ebx, 5
    xor edi, ebx
    add ecx, edi
    ret

clock:
    mov ebx, PROCESSOR_TIME
    mov eax, 265                        # clock_gettime
    int 0x80
    ret

skip:
    inc esi
    cmp byte ptr [esi - 1], 0
    jne skip
    ret

open:                                   # ecx: path, edx: flags
    push esi
    mov ebx, HERE
    mov esi, 0644
    mov eax, 295                        # openat
    int 0x80
    pop esi
    ret

store:                                  # ecx: name, edi: content, edx: its length
    push edx
    mov edx, CREATE
    call open
    mov ebx, eax
    mov ecx, edi
    pop edx
    mov eax, 4                          # write
    int 0x80
    ret

    strings
