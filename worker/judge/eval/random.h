/* worker/judge/eval/random.h - choices that op code shall not foresee
 *
 * Not for inputs, which have to be the same everywhere (philox.h), and not for
 * secrets: a generator of Marsaglia's xorshift kind, "Xorshift RNGs", Journal
 * of Statistical Software 8 (14), 2003.
 */
#ifndef OSW_WORKER_JUDGE_RANDOM_H
#define OSW_WORKER_JUDGE_RANDOM_H

#include <stdint.h>

/* The next of a state, which is never 0. */
static inline uint64_t osw_random_next(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

#endif /* OSW_WORKER_JUDGE_RANDOM_H */
