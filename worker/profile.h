/* worker/profile.h - how hard to measure
 *
 * Upstream: --profile.  Downstream: worker/judge/timing.
 */
#ifndef OSW_WORKER_PROFILE_H
#define OSW_WORKER_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How hard to measure.  The table of profiles is in worker/profile.c. */
struct osw_profile {
    const char *name; /* "smoke", "sweep", "precise" */
    bool time;        /* take timings at all */
    uint32_t n_warmup;
    uint32_t min_samples, max_samples;
    bool move;           /* a device's code and data elsewhere for each round */
    uint32_t first_look; /* rounds before the intervals are looked at; 6 give
                            the first one of 95 % */
    double ci_target; /* stop: half width of the median's interval / median */
    int64_t time_cap_ns; /* stop: wall clock of one cell's timing */
    int64_t block_ns;    /* length of an alternating block, about */
};

/* NULL when there is none of that name; osw_profile_at(i): NULL after last. */
const struct osw_profile *osw_profile_find(const char *name);
const struct osw_profile *osw_profile_at(size_t i);

#endif /* OSW_WORKER_PROFILE_H */
