/* worker/judge/memory/clones.h - one loop, compiled for several processors
 *
 * OSW_CLONES before a function has it compiled for AVX2 and AVX-512 too; the
 * loader takes the best one.  Where the compiler cannot, it says nothing.
 * Results are the same bits everywhere: no contraction, no reassociation.
 */
#ifndef OSW_WORKER_JUDGE_CLONES_H
#define OSW_WORKER_JUDGE_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) &&      \
    !defined(__clang__) && __GNUC__ >= 12
#define OSW_CLONES                                                             \
    __attribute__((                                                            \
        target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define OSW_CLONES
#endif

/* GCC contracts a * b + c only outside of ISO mode; clang must be told. */
#if defined(__clang__)
#pragma clang fp contract(off)
#endif

#endif /* OSW_WORKER_JUDGE_CLONES_H */
