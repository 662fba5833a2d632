/* tests/simulate/random.h - random numbers that a seed decides
 *
 * Each is a pure function of seed, stream and index, so that no number depends
 * on how many others were asked for before.
 */
#ifndef OSW_TESTS_SIMULATE_RANDOM_H
#define OSW_TESTS_SIMULATE_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Numbers of one stream are independent of those of another. */
enum sim_stream {
    SIM_STREAM_DURATION = 1,
    SIM_STREAM_CELL,
    SIM_STREAM_PREDICTION,
    SIM_STREAM_NETWORK,
    SIM_STREAM_RANK,
    SIM_STREAM_NODE,
    SIM_STREAM_PAUSE,
    SIM_STREAM_SLOW,
};

static inline uint64_t sim_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* In (0, 1). */
static inline double sim_uniform(uint64_t seed, enum sim_stream stream,
                                 uint64_t index)
{
    uint64_t x = sim_mix(sim_mix(seed ^ (uint64_t)stream << 56) ^ index);

    return ((double)(x >> 12) + 0.5) * 0x1p-52;
}

/* Exponential, of mean 1. */
static inline double sim_exponential(uint64_t seed, enum sim_stream stream,
                                     uint64_t index)
{
    return -log(sim_uniform(seed, stream, index));
}

/* Normal, of mean 0 and deviation 1. */
static inline double sim_normal(uint64_t seed, enum sim_stream stream,
                                uint64_t index)
{
    double u = sim_uniform(seed, stream, 2 * index),
           v = sim_uniform(seed, stream, 2 * index + 1);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

#endif /* OSW_TESTS_SIMULATE_RANDOM_H */
