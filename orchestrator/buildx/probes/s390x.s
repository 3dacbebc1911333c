# The probe for linux/s390x.
    .machine z10
    .include "probe.inc"
    elf64 22, 2, 0

start:
    aghi %r15, -STACK
    lgr %r13, %r15                      # r13: the buffer
    larl %r12, files                    # r12: the next string
next_file:
    cli 0(%r12), 0
    je link
    lgr %r3, %r12
    lghi %r4, 0
    brasl %r14, open
    lgr %r11, %r2
    brasl %r14, skip                    # r12: the name of the copy
    lgr %r10, %r12
    brasl %r14, skip
    ltgr %r11, %r11
    jl next_file
    lgr %r2, %r11
    lgr %r3, %r13
    lghi %r4, BUFFER
    lghi %r1, 3                         # read
    svc 0
    lgr %r9, %r2
    lgr %r8, %r13
    brasl %r14, store
    j next_file

link:
    lghi %r2, HERE
    larl %r3, own_program
    lgr %r4, %r13
    lghi %r5, BUFFER
    lghi %r1, 298                       # readlinkat
    svc 0
    lgr %r9, %r2
    lgr %r8, %r13
    larl %r10, program_copy
    brasl %r14, store

    lgr %r11, %r13
    aghi %r11, TABLE                    # r11: the table
    lghi %r1, TABLE
    lghi %r0, 0
clear:
    aghi %r1, -8
    stg %r0, 0(%r1, %r11)
    ltgr %r1, %r1
    jne clear
    lgr %r12, %r13
    aghi %r12, CLOCK                    # r12: the answer
    lgr %r3, %r12
    brasl %r14, clock
    iilf %r0, ITERATIONS
    iilf %r9, MULTIPLIER
    lghi %r2, 1                         # r2: x
    lghi %r3, 0                         # r3: sum
loop:
    msr %r2, %r9
    alfi %r2, INCREMENT
    lr %r4, %r2
    srl %r4, 20
    nill %r4, 0xffc
    llgfr %r4, %r4
    l %r5, 0(%r4, %r11)
    brasl %r14, mix
    st %r5, 0(%r4, %r11)
    ahi %r0, -1
    jne loop
    st %r3, 32(%r12)
    la %r3, 16(%r12)
    brasl %r14, clock
    larl %r10, clock_copy
    lgr %r8, %r12
    lghi %r9, 36
    brasl %r14, store
    lghi %r2, 0
    lghi %r1, 1                         # exit
    svc 0

mix:
    lr %r1, %r2
    srl %r1, 5
    xr %r5, %r1
    alr %r3, %r5
    br %r14

clock:
    lghi %r2, PROCESSOR_TIME
    lghi %r1, 260                       # clock_gettime
    svc 0
    br %r14

skip:
    cli 0(%r12), 0
    la %r12, 1(%r12)
    jne skip
    br %r14

open:                                   # r3: path, r4: flags
    lghi %r2, HERE
    lghi %r5, 0644
    lghi %r1, 288                       # openat
    svc 0
    br %r14

store:                                  # r10: name, r8: content, r9: its length
    lgr %r7, %r14
    lgr %r3, %r10
    lghi %r4, CREATE
    brasl %r14, open
    lgr %r3, %r8
    lgr %r4, %r9
    lghi %r1, 4                         # write
    svc 0
    br %r7

    strings
