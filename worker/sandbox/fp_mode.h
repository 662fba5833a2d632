/* worker/sandbox/fp_mode.h - how this thread rounds, and whether it flushes
 * subnormal numbers and traps
 *
 * Upstream: calls.c.
 */
#ifndef OSW_WORKER_SANDBOX_FP_MODE_H
#define OSW_WORKER_SANDBOX_FP_MODE_H

#include <stdint.h>

/* The control register of floating-point arithmetic, without what past
 * arithmetic left in it; 0 where it is not known.
 */
static inline uint64_t osw_fp_mode(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & ~UINT64_C(0x3f);
#elif defined(__aarch64__)
    uint64_t mode;

    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}

static inline void osw_fp_set_mode(uint64_t mode)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}

#endif /* OSW_WORKER_SANDBOX_FP_MODE_H */
