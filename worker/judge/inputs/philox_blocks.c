/* worker/judge/inputs/philox_blocks.c - Philox blocks of many elements at once
 * (host) */
#include "worker/judge/inputs/philox_blocks.h"

#include <string.h>

#include "worker/judge/inputs/philox.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

enum { N = OSW_PHILOX_BLOCKS_BLOCK };

/* Rounds outside, elements inside: that way round it becomes vectors. */
static void make_plain(uint64_t seed, uint32_t tensor, uint32_t rep,
                       const int64_t *index, struct osw_philox_blocks *out)
{
    uint32_t(*c)[N] = out->w;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

    for (int j = 0; j < N; j++) {
        c[0][j] = (uint32_t)index[j];
        c[1][j] = (uint32_t)((uint64_t)index[j] >> 32);
        c[2][j] = tensor;
        c[3][j] = rep;
    }
    for (int r = 0; r < OSW_PHILOX_ROUNDS; r++) {
        for (int j = 0; j < N; j++) {
            uint64_t p0 = (uint64_t)OSW_PHILOX_M0 * c[0][j];
            uint64_t p1 = (uint64_t)OSW_PHILOX_M1 * c[2][j];

            c[0][j] = (uint32_t)(p1 >> 32) ^ c[1][j] ^ k0;
            c[1][j] = (uint32_t)p1;
            c[2][j] = (uint32_t)(p0 >> 32) ^ c[3][j] ^ k1;
            c[3][j] = (uint32_t)p0;
        }
        k0 += OSW_PHILOX_W0;
        k1 += OSW_PHILOX_W1;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)

/* Compilers know no vector instruction for 32 x 32 -> 64 bits, so it is named
 * here.  A lane is 64 bits wide and holds one word; its upper half is rubbish
 * that multiplication ignores and the end cuts off.  Two independent chains
 * hide the latency of multiplication.
 */
#define ROUND(V, MUL, c0, c1, c2, c3)                                          \
    do {                                                                       \
        V p0 = MUL(c0, m0), p1 = MUL(c2, m1);                                  \
                                                                               \
        c0 = (p1 >> 32) ^ c1 ^ k0;                                             \
        c1 = p1;                                                               \
        c2 = (p0 >> 32) ^ c3 ^ k1;                                             \
        c3 = p0;                                                               \
    } while (0)

#define PUT(HALF, k, at, c)                                                    \
    do {                                                                       \
        HALF low = __builtin_convertvector(c, HALF);                           \
                                                                               \
        memcpy(&out->w[k][at], &low, sizeof(low));                             \
    } while (0)

#define MAKE(name, isa, V, HALF, LANES, MUL)                                   \
    __attribute__((target(isa))) static void name(                             \
        uint64_t seed, uint32_t tensor, uint32_t rep, const int64_t *index,    \
        struct osw_philox_blocks *out)                                         \
    {                                                                          \
        const V m0 = (V){0} + OSW_PHILOX_M0, m1 = (V){0} + OSW_PHILOX_M1;      \
                                                                               \
        for (int j = 0; j < N; j += 2 * LANES) {                               \
            uint64_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);         \
            V a0, a1, a2 = (V){0} + tensor, a3 = (V){0} + rep;                 \
            V b0, b1, b2 = a2, b3 = a3;                                        \
                                                                               \
            memcpy(&a0, index + j, sizeof(a0));                                \
            memcpy(&b0, index + j + LANES, sizeof(b0));                        \
            a1 = a0 >> 32;                                                     \
            b1 = b0 >> 32;                                                     \
            for (int r = 0; r < OSW_PHILOX_ROUNDS; r++) {                      \
                ROUND(V, MUL, a0, a1, a2, a3);                                 \
                ROUND(V, MUL, b0, b1, b2, b3);                                 \
                k0 += OSW_PHILOX_W0;                                           \
                k1 += OSW_PHILOX_W1;                                           \
            }                                                                  \
            PUT(HALF, 0, j, a0);                                               \
            PUT(HALF, 1, j, a1);                                               \
            PUT(HALF, 2, j, a2);                                               \
            PUT(HALF, 3, j, a3);                                               \
            PUT(HALF, 0, j + LANES, b0);                                       \
            PUT(HALF, 1, j + LANES, b1);                                       \
            PUT(HALF, 2, j + LANES, b2);                                       \
            PUT(HALF, 3, j + LANES, b3);                                       \
        }                                                                      \
    }

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));
typedef uint64_t u64x4 __attribute__((vector_size(32)));
typedef uint64_t u64x8 __attribute__((vector_size(64)));

#define MUL_AVX2(a, b)   ((u64x4)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define MUL_AVX512(a, b) ((u64x8)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))

MAKE(make_avx2, "avx2", u64x4, u32x4, 4, MUL_AVX2)
MAKE(make_avx512, "avx512f,avx512vl", u64x8, u32x8, 8, MUL_AVX512)

void osw_philox_blocks_make(uint64_t seed, uint32_t tensor, uint32_t rep,
                            const int64_t index[OSW_PHILOX_BLOCKS_BLOCK],
                            struct osw_philox_blocks *out)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        make_avx512(seed, tensor, rep, index, out);
    else if (__builtin_cpu_supports("avx2"))
        make_avx2(seed, tensor, rep, index, out);
    else
        make_plain(seed, tensor, rep, index, out);
}

#else

void osw_philox_blocks_make(uint64_t seed, uint32_t tensor, uint32_t rep,
                            const int64_t index[OSW_PHILOX_BLOCKS_BLOCK],
                            struct osw_philox_blocks *out)
{
    make_plain(seed, tensor, rep, index, out);
}

#endif
