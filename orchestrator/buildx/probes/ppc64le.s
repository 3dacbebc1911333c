# The probe for linux/ppc64le.
    .machine power8
    .include "probe.inc"
    elf64 21, 1, 2

    .macro constant register, value
    lis \register, \value@h
    ori \register, \register, \value@l
    .endm

start:
    addi 1, 1, -STACK
    mr 14, 1                            # r14: the buffer
    constant 15, files                  # r15: the next string
next_file:
    lbz 3, 0(15)
    cmpwi 3, 0
    beq link
    mr 4, 15
    li 5, 0
    bl open
    mr 16, 3                            # -1 where it could not be opened
    bl skip                             # r15: the name of the copy
    mr 17, 15
    bl skip
    cmpwi 16, 0
    blt next_file
    mr 3, 16
    mr 4, 14
    li 5, BUFFER
    li 0, 3                             # read
    sc
    mr 18, 3
    mr 19, 14
    bl store
    b next_file

link:
    li 3, HERE
    constant 4, own_program
    mr 5, 14
    li 6, BUFFER
    li 0, 296                           # readlinkat
    sc
    mr 18, 3
    mr 19, 14
    constant 17, program_copy
    bl store

    addi 20, 14, TABLE                  # r20: the table
    li 3, TABLE
    li 4, 0
clear:
    addi 3, 3, -8
    stdx 4, 20, 3
    cmpwi 3, 0
    bne clear
    addi 21, 14, CLOCK                  # r21: the answer
    mr 4, 21
    bl clock
    constant 22, ITERATIONS
    constant 23, MULTIPLIER
    constant 24, INCREMENT
    li 25, 1                            # r25: x
    li 26, 0                            # r26: sum
loop:
    mullw 25, 25, 23
    add 25, 25, 24
    rlwinm 27, 25, 12, 20, 29
    lwzx 28, 20, 27
    bl mix
    stwx 28, 20, 27
    addi 22, 22, -1
    cmpwi 22, 0
    bne loop
    stw 26, 32(21)
    addi 4, 21, 16
    bl clock
    constant 17, clock_copy
    mr 19, 21
    li 18, 36
    bl store
    li 3, 0
    li 0, 1                             # exit
    sc

mix:
    srwi 29, 25, 5
    xor 28, 28, 29
    add 26, 26, 28
    blr

clock:
    li 3, PROCESSOR_TIME
    li 0, 246                           # clock_gettime
    sc
    blr

skip:
    lbz 3, 0(15)
    addi 15, 15, 1
    cmpwi 3, 0
    bne skip
    blr

open:                                   # r4: path, r5: flags
    li 3, HERE
    li 6, 0644
    li 0, 286                           # openat
    sc
    bnslr                               # no summary overflow: no error
    li 3, -1
    blr

store:                                  # r17: name, r19: content, r18: its length
    mflr 30
    mr 4, 17
    li 5, CREATE
    bl open
    mr 4, 19
    mr 5, 18
    li 0, 4                             # write
    sc
    mtlr 30
    blr

    strings
