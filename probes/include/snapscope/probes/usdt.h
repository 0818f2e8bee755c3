/*
 * usdt.h - USDT probe sites that cost one no-op while nobody listens.
 *
 * Every probe of provider `snapscope` takes the same eight arguments, read
 * straight out of a struct snapscope_record (abi.h) that the caller has built:
 *
 *   arg1 slot   arg2 outcome   arg3 lines   arg4 flags   arg5..arg8 a, b, c, d
 *
 * so a site needs two registers and no set-up.  The site is the five-byte
 * no-op, which kernels that know it turn from a trap into a call.  Such a call
 * pushes onto the stack: a file with sites MUST be compiled without the red
 * zone (-mno-red-zone on x86-64), or the push overwrites live data.
 *
 * All sites share one semaphore, so a single 16-bit load tells whether anybody
 * listens at all.  A program defines it once with SNAPSCOPE_USDT_DEFINE_SEMAPHORE.
 * Note format: the stapsdt ELF notes that perf, bpftrace and libbpf read.
 */
#ifndef SNAPSCOPE_PROBES_USDT_H
#define SNAPSCOPE_PROBES_USDT_H

#include <snapscope/probes/abi.h>

extern unsigned short snapscope_usdt_semaphore __attribute__((visibility("hidden")));

/* In `.probes`, where tracers expect semaphores; raised and lowered by the kernel. */
#define SNAPSCOPE_USDT_DEFINE_SEMAPHORE                                                                                \
    unsigned short snapscope_usdt_semaphore __attribute__((section(".probes"), used, visibility("hidden")))

#define SNAPSCOPE_USDT_LISTENING() (*(volatile unsigned short*)&snapscope_usdt_semaphore != 0)

#if defined(__x86_64__)
#define SNAPSCOPE_USDT_NOP ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#define SNAPSCOPE_USDT_ARGS                                                                                            \
    "4@%k[slot] 1@9(%[rec]) 2@12(%[rec]) 2@14(%[rec]) 4@16(%[rec]) 4@20(%[rec]) 4@24(%[rec]) 4@28(%[rec])"
#elif defined(__aarch64__)
#define SNAPSCOPE_USDT_NOP "nop\n"
#define SNAPSCOPE_USDT_ARGS                                                                                            \
    "4@%w[slot] 1@[%[rec], 9] 2@[%[rec], 12] 2@[%[rec], 14] 4@[%[rec], 16] 4@[%[rec], 20] 4@[%[rec], 24] 4@[%[rec], 28]"
#else
#error "no USDT site for this architecture"
#endif

/* One site; NAME is an identifier, REC points to a struct snapscope_record. */
#define SNAPSCOPE_USDT(NAME, SLOT, REC)                                                                                \
    __asm__ volatile("990: " SNAPSCOPE_USDT_NOP ".pushsection .note.stapsdt, \"?\", \"note\"\n"                        \
                     ".balign 4\n"                                                                                     \
                     ".4byte 992f - 991f, 994f - 993f, 3\n"                                                            \
                     "991: .asciz \"stapsdt\"\n"                                                                       \
                     "992: .balign 4\n"                                                                                \
                     "993: .8byte 990b\n"                                                                              \
                     ".8byte _.stapsdt.base\n"                                                                         \
                     ".8byte snapscope_usdt_semaphore\n"                                                               \
                     ".asciz \"snapscope\"\n"                                                                          \
                     ".asciz \"" #NAME "\"\n"                                                                          \
                     ".asciz \"" SNAPSCOPE_USDT_ARGS "\"\n"                                                            \
                     "994: .balign 4\n"                                                                                \
                     ".popsection\n"                                                                                   \
                     ".ifndef _.stapsdt.base\n"                                                                        \
                     ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"                       \
                     ".weak _.stapsdt.base\n"                                                                          \
                     ".hidden _.stapsdt.base\n"                                                                        \
                     "_.stapsdt.base: .space 1\n"                                                                      \
                     ".size _.stapsdt.base, 1\n"                                                                       \
                     ".popsection\n"                                                                                   \
                     ".endif\n"                                                                                        \
                     :                                                                                                 \
                     : [slot] "r"(SLOT), [rec] "r"(REC)                                                                \
                     : "memory")

#endif
