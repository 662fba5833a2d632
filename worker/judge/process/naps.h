/* worker/judge/process/naps.h - how long a judge that waits for a sandbox
 * sleeps between two ticks
 *
 * MPI wakes no sleeper.  A judge that carries messages of op code between nodes
 * naps: the shorter, the less time has passed since the last message, so that
 * the next one hardly waits for it.
 *
 * Pure.  Upstream: talk.c.
 */
#ifndef OSW_WORKER_JUDGE_NAPS_H
#define OSW_WORKER_JUDGE_NAPS_H

#include <stdint.h>

enum {
    OSW_NAPS_SPINS = 20,      /* ticks without a nap */
    OSW_NAPS_STEP_NS = 50000, /* by which each nap is longer */
    OSW_NAPS_MOST_NS = 1000000,
};

/* Zeros at first. */
struct osw_naps {
    uint64_t n_carried; /* at the last tick */
    int64_t n_ticks;    /* since that changed */
};

/* ns to sleep, once n_carried messages were carried in all. */
static inline int64_t osw_naps_next_ns(struct osw_naps *naps,
                                       uint64_t n_carried)
{
    int64_t ns;

    naps->n_ticks = n_carried == naps->n_carried ? naps->n_ticks + 1 : 0;
    naps->n_carried = n_carried;
    ns = (naps->n_ticks - OSW_NAPS_SPINS) * OSW_NAPS_STEP_NS;
    return ns < 0 ? 0 : ns < OSW_NAPS_MOST_NS ? ns : OSW_NAPS_MOST_NS;
}

#endif /* OSW_WORKER_JUDGE_NAPS_H */
