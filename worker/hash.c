/* worker/hash.c - a 64-bit hash of bytes, to see that they changed */
#include "worker/hash.h"

#include <string.h>

/* Odd constants: multiplication by them can be undone. */
#define POSITION UINT64_C(0x9e3779b97f4a7c15)
#define FIRST    UINT64_C(0xbf58476d1ce4e5b9)
#define SECOND   UINT64_C(0x94d049bb133111eb)

enum { UNROLL = 4 };

static uint64_t load(const unsigned char *p, size_t n)
{
    uint64_t w = 0;

    memcpy(&w, p, n);
    return w;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= FIRST;
    x ^= x >> 29;
    return x * SECOND;
}

uint64_t osw_hash_bytes(const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t start = mix(seed + POSITION), at = start;
    uint64_t sum[UNROLL] = {start};
    size_t i = 0;

    for (; n - i >= 8 * UNROLL; i += 8 * UNROLL)
        for (size_t k = 0; k < UNROLL; k++) {
            sum[k] += mix(load(p + i + 8 * k, 8) ^ at);
            at += POSITION;
        }
    for (; n - i >= 8; i += 8) {
        sum[0] += mix(load(p + i, 8) ^ at);
        at += POSITION;
    }
    if (i < n)
        sum[0] += mix(load(p + i, n - i) ^ at);
    return mix(sum[0] + sum[1] + sum[2] + sum[3] + POSITION * (uint64_t)n);
}
