# The probe for linux/riscv64.
    .option norelax
    .option norvc
    .include "probe.inc"
    elf64 243, 1, 4

start:
    li t0, STACK
    sub sp, sp, t0
    mv s0, sp                           # s0: the buffer
    lla s1, files                       # s1: the next string
next_file:
    lbu t0, 0(s1)
    beqz t0, link
    mv a1, s1
    li a2, 0
    call open
    mv s2, a0
    call skip                           # s1: the name of the copy
    mv s3, s1
    call skip
    bltz s2, next_file
    mv a0, s2
    mv a1, s0
    li a2, BUFFER
    li a7, 63                           # read
    ecall
    mv s4, a0
    mv s5, s0
    call store
    j next_file

link:
    li a0, HERE
    lla a1, own_program
    mv a2, s0
    li a3, BUFFER
    li a7, 78                           # readlinkat
    ecall
    mv s4, a0
    mv s5, s0
    lla s3, program_copy
    call store

    li t0, TABLE
    add s6, s0, t0                      # s6: the table
    add t1, s6, t0
clear:
    addi t1, t1, -8
    sd zero, 0(t1)
    bne t1, s6, clear
    li t0, CLOCK
    add s7, s0, t0                      # s7: the answer
    mv a1, s7
    call clock
    li t0, ITERATIONS
    li t1, MULTIPLIER
    li t2, INCREMENT
    li t3, 1                            # t3: x
    li t4, 0                            # t4: sum
    li a4, 0xffc
loop:
    mulw t3, t3, t1
    addw t3, t3, t2
    srliw t5, t3, 20
    and t5, t5, a4
    add t5, t5, s6
    lw t6, 0(t5)
    jal ra, mix
    sw t6, 0(t5)
    addi t0, t0, -1
    bnez t0, loop
    sw t4, 32(s7)
    addi a1, s7, 16
    call clock
    lla s3, clock_copy
    mv s5, s7
    li s4, 36
    call store
    li a0, 0
    li a7, 93                           # exit
    ecall

mix:
    srliw a5, t3, 5
    xor t6, t6, a5
    addw t4, t4, t6
    ret

clock:
    li a0, PROCESSOR_TIME
    li a7, 113                          # clock_gettime
    ecall
    ret

skip:
    lbu t0, 0(s1)
    addi s1, s1, 1
    bnez t0, skip
    ret

open:                                   # a1: path, a2: flags
    li a0, HERE
    li a3, 0644
    li a7, 56                           # openat
    ecall
    ret

store:                                  # s3: name, s5: content, s4: its length
    mv s8, ra
    mv a1, s3
    li a2, CREATE
    call open
    mv a1, s5
    mv a2, s4
    li a7, 64                           # write
    ecall
    jr s8

    strings
