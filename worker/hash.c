/* worker/hash.c - a 64-bit hash of bytes, to see that they changed */
#include "worker/hash.h"

#include <string.h>

#include "worker/hash_mix.h"

enum { UNROLL = 4 };

static uint64_t load(const unsigned char *p, size_t n)
{
    uint64_t w = 0;

    memcpy(&w, p, n);
    return w;
}

/* The word at `at` of n bytes, which goes to `to` as well unless NULL. */
static inline uint64_t take(unsigned char *to, const unsigned char *from,
                            size_t at, size_t n)
{
    uint64_t w = load(from + at, n);

    if (to)
        memcpy(to + at, &w, n);
    return w;
}

static inline uint64_t hash(unsigned char *to, const unsigned char *p, size_t n,
                            uint64_t seed)
{
    uint64_t start = osw_hash_mix(seed + OSW_HASH_POSITION), at = start;
    uint64_t sum[UNROLL] = {start};
    size_t i = 0;

    for (; n - i >= 8 * UNROLL; i += 8 * UNROLL)
        for (size_t k = 0; k < UNROLL; k++) {
            sum[k] += osw_hash_mix(take(to, p, i + 8 * k, 8) ^ at);
            at += OSW_HASH_POSITION;
        }
    for (; n - i >= 8; i += 8) {
        sum[0] += osw_hash_mix(take(to, p, i, 8) ^ at);
        at += OSW_HASH_POSITION;
    }
    if (i < n)
        sum[0] += osw_hash_mix(take(to, p, i, n - i) ^ at);
    return osw_hash_mix(sum[0] + sum[1] + sum[2] + sum[3] +
                        OSW_HASH_POSITION * (uint64_t)n);
}

uint64_t osw_hash_bytes(const void *data, size_t n, uint64_t seed)
{
    return hash(NULL, data, n, seed);
}

uint64_t osw_hash_copy(void *to, const void *data, size_t n, uint64_t seed)
{
    return hash(to, data, n, seed);
}
