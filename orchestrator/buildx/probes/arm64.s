// The probe for linux/arm64.
    .include "probe.inc"
    elf64 183, 1, 0

start:
    sub sp, sp, #0x2000
    sub sp, sp, #64                     // STACK
    mov x19, sp                         // x19: the buffer
    adr x20, files                      // x20: the next string
next_file:
    ldrb w0, [x20]
    cbz w0, link
    mov x1, x20
    mov x2, #0
    bl open
    mov x21, x0
    bl skip                             // x20: the name of the copy
    mov x22, x20
    bl skip
    tbnz w21, #31, next_file
    mov x0, x21
    mov x1, x19
    mov x2, #BUFFER
    mov x8, #63                         // read
    svc #0
    mov x23, x0
    mov x24, x19
    bl store
    b next_file

link:
    mov x0, #HERE
    adr x1, own_program
    mov x2, x19
    mov x3, #BUFFER
    mov x8, #78                         // readlinkat
    svc #0
    mov x23, x0
    mov x24, x19
    adr x22, program_copy
    bl store

    add x25, x19, #TABLE                // x25: the table
    mov x9, #TABLE
clear:
    sub x9, x9, #8
    str xzr, [x25, x9]
    cbnz x9, clear
    add x26, x19, #CLOCK                // x26: the answer
    mov x1, x26
    bl clock
    ldr w10, =ITERATIONS
    ldr w11, =MULTIPLIER
    ldr w12, =INCREMENT
    mov w13, #1                         // w13: x
    mov w14, #0                         // w14: sum
loop:
    madd w13, w13, w11, w12
    lsr w15, w13, #20
    and w15, w15, #0xffc
    ldr w16, [x25, x15]
    bl mix
    str w16, [x25, x15]
    subs w10, w10, #1
    b.ne loop
    str w14, [x26, #32]
    add x1, x26, #16
    bl clock
    adr x22, clock_copy
    mov x24, x26
    mov x23, #36
    bl store
    mov x0, #0
    mov x8, #93                         // exit
    svc #0

mix:
    eor w16, w16, w13, lsr #5
    add w14, w14, w16
    ret

clock:
    mov x0, #PROCESSOR_TIME
    mov x8, #113                        // clock_gettime
    svc #0
    ret

skip:
    ldrb w9, [x20], #1
    cbnz w9, skip
    ret

open:                                   // x1: path, x2: flags
    mov x0, #HERE
    mov x3, #0644
    mov x8, #56                         // openat
    svc #0
    ret

store:                                  // x22: name, x24: content, x23: its length
    mov x27, x30
    mov x1, x22
    mov x2, #CREATE
    bl open
    mov x1, x24
    mov x2, x23
    mov x8, #64                         // write
    svc #0
    ret x27

    .ltorg
    strings
