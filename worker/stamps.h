/* worker/stamps.h - the judge's own clock around single timed calls
 *
 * A page after the window, which judge and sandbox share.  The sandbox says
 * when it is ready for a call and when the call is done; it begins the call
 * only after the judge says so, however late that is: a busy machine can keep
 * the judge from its core for seconds.  The judge reads its own clock in
 * between, so its time of a call is never shorter than the call, whatever op
 * code does to clocks in its process.
 *
 * Upstream: judge/timing/stamped.c (judge), device_cpu.c (sandbox).
 */
#ifndef OSW_WORKER_STAMPS_H
#define OSW_WORKER_STAMPS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    OSW_STAMPS_PAGE = 4096,
    OSW_STAMPS_SPINS = 2000, /* of some ns, before the core is offered */
    /* After caches were cleared, when the judge has begun to nap; offering the
     * core takes as long as a short call.
     */
    OSW_STAMPS_COLD_SPINS = 100000,
};

/* Each word is a number of calls of the current request, from 1; in cache lines
 * of their own.  A judge that no longer follows lets all calls go.
 */
struct osw_stamps {
    _Alignas(128) _Atomic uint32_t ready; /* by the sandbox */
    _Alignas(128) _Atomic uint32_t go;    /* by the judge */
    _Alignas(128) _Atomic uint32_t done;  /* by the sandbox */
};

/* Where they lie after a window of so many bytes, and where they end. */
static inline uint64_t osw_stamps_at(uint64_t window_bytes)
{
    return (window_bytes + OSW_STAMPS_PAGE - 1) / OSW_STAMPS_PAGE *
           OSW_STAMPS_PAGE;
}

static inline uint64_t osw_stamps_end(uint64_t window_bytes)
{
    return osw_stamps_at(window_bytes) + OSW_STAMPS_PAGE;
}

static inline void osw_stamps_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* One step of waiting for the other side: it answers within some 100 ns where
 * it has a core, and gets ours where it has none.
 */
static inline void osw_stamps_wait(uint32_t step, uint32_t spins)
{
    if (step < spins)
        osw_stamps_pause();
    else
        (void)sched_yield();
}

/* Sandbox: before and after call number `i`, from 1. */
static inline void osw_stamps_begin(struct osw_stamps *s, uint32_t i, bool cold)
{
    uint32_t spins = cold ? OSW_STAMPS_COLD_SPINS : OSW_STAMPS_SPINS;

    atomic_store(&s->ready, i);
    for (uint32_t k = 0; atomic_load(&s->go) < i; k++)
        osw_stamps_wait(k, spins);
}

static inline void osw_stamps_end_call(struct osw_stamps *s, uint32_t i)
{
    atomic_store(&s->done, i);
}

/* Judge: before a request, and when it does not follow the rest of one. */
static inline void osw_stamps_reset(struct osw_stamps *s)
{
    atomic_store(&s->ready, 0);
    atomic_store(&s->go, 0);
    atomic_store(&s->done, 0);
}

static inline void osw_stamps_leave(struct osw_stamps *s)
{
    atomic_store(&s->go, UINT32_MAX);
}

#endif /* OSW_WORKER_STAMPS_H */
