@ The probe for linux/arm, in instructions that every processor from ARMv5 has.
    .syntax unified
    .arch armv5te
    .arm
    .include "probe.inc"
    elf32 40, 0x05000000

start:
    sub sp, sp, #0x2000
    sub sp, sp, #64                     @ STACK
    mov r8, sp                          @ r8: the buffer
    adr r9, strings_at
    ldr r9, [r9]                        @ r9: the next string
next_file:
    ldrb r0, [r9]
    cmp r0, #0
    beq link
    mov r1, r9
    mov r2, #0
    bl open
    mov r6, r0
    bl skip                             @ r9: the name of the copy
    mov r10, r9
    bl skip
    cmp r6, #0
    blt next_file
    mov r0, r6
    mov r1, r8
    mov r2, #BUFFER
    mov r7, #3                          @ read
    svc #0
    mov r5, r0
    mov r4, r8
    bl store
    b next_file

link:
    ldr r0, =HERE
    ldr r1, =own_program
    mov r2, r8
    mov r3, #BUFFER
    ldr r7, =332                        @ readlinkat
    svc #0
    mov r5, r0
    mov r4, r8
    ldr r10, =program_copy
    bl store

    add r11, r8, #TABLE                 @ r11: the table
    mov r0, #TABLE
    mov r1, #0
clear:
    subs r0, r0, #4
    str r1, [r11, r0]
    bne clear
    add r1, r8, #CLOCK
    bl clock
    ldr r0, =ITERATIONS
    ldr r1, =MULTIPLIER
    ldr r2, =INCREMENT
    mov r3, #1                          @ r3: x
    mov r4, #0                          @ r4: sum
    ldr r9, =0xffc
loop:
    mla r5, r3, r1, r2
    mov r3, r5
    and r6, r9, r3, lsr #20
    ldr r7, [r11, r6]
    bl mix
    str r7, [r11, r6]
    subs r0, r0, #1
    bne loop
    add r1, r8, #CLOCK
    str r4, [r1, #16]
    add r1, r1, #8
    bl clock
    ldr r10, =clock_copy
    add r4, r8, #CLOCK
    mov r5, #20
    bl store
    mov r0, #0
    mov r7, #1                          @ exit
    svc #0

mix:
    eor r7, r7, r3, lsr #5
    add r4, r4, r7
    bx lr

clock:
    mov r0, #PROCESSOR_TIME
    ldr r7, =263                        @ clock_gettime
    svc #0
    bx lr

skip:
    ldrb r0, [r9], #1
    cmp r0, #0
    bne skip
    bx lr

open:                                   @ r1: path, r2: flags
    ldr r0, =HERE
    mov r3, #0644
    ldr r7, =322                        @ openat
    svc #0
    bx lr

store:                                  @ r10: name, r4: content, r5: its length
    mov r11, lr
    mov r1, r10
    ldr r2, =CREATE
    bl open
    mov r1, r4
    mov r2, r5
    mov r7, #4                          @ write
    svc #0
    bx r11

strings_at:
    .4byte files
    .ltorg
    strings
