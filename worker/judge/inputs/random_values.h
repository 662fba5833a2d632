/* worker/judge/inputs/random_values.h - from random words to values, the same
 * bits everywhere
 *
 * Integers are exact, and every floating result is one rounded operation on an
 * exact integer: no a * x + b that one compiler would contract and another
 * would not, no libm.  Plain C, for host and device.
 */
#ifndef OSW_WORKER_JUDGE_RANDOM_VALUES_H
#define OSW_WORKER_JUDGE_RANDOM_VALUES_H

#include <stdint.h>

#include <opsweep/elements.h> /* OSW_HD */

/* 1 / sqrt(n * (2^32 - 1) / 12): the standard deviation of a sum of n = 8, 4
 * uniform 16-bit numbers, inverted.
 */
#define OSW_DRAW_SCALE8 0x1.3988e1412ed76p-16
#define OSW_DRAW_SCALE4 0x1.bb67ae86627e8p-16

/* Nearly normal (Irwin-Hall): mean 0, variance 1; |x| < 4.9 of four words,
 * |x| < 3.47 of two.  The sum is times the scale.
 *
 * Words add up to 2^16 times the sum of their upper halves and the sum of the
 * lower ones, modulo 2^32; so that less 2^16 - 1 times the upper ones is the
 * sum of all halves, which is below 2^32.
 */
OSW_HD static inline int32_t osw_random_sum4(uint32_t w0, uint32_t w1)
{
    uint32_t upper = (w0 >> 16) + (w1 >> 16);

    return (int32_t)(w0 + w1 - 65535u * (upper + 2));
}

OSW_HD static inline int32_t osw_random_sum8(uint32_t w0, uint32_t w1,
                                             uint32_t w2, uint32_t w3)
{
    uint32_t upper = (w0 >> 16) + (w1 >> 16) + (w2 >> 16) + (w3 >> 16);

    return (int32_t)(w0 + w1 + w2 + w3 - 65535u * (upper + 4));
}

/* A word made of both, which tells nothing of the sum of their halves. */
OSW_HD static inline uint32_t osw_random_fraction(uint32_t w0, uint32_t w1)
{
    uint32_t x = (w0 ^ w1 >> 15) * 0x9E3779B1u + (w1 ^ w0 >> 13) * 0x85EBCA77u;

    return (x ^ x >> 16) * 0xC2B2AE3Du;
}

/* The sum with a fraction, in units of 2^-6 or 2^-33: alone it has so few
 * values that one of two in 1,000 numbers is there twice.
 */
OSW_HD static inline int32_t osw_random_finer_f32(int32_t sum, uint32_t w0,
                                                  uint32_t w1)
{
    return 64 * sum + 2 * (int32_t)(osw_random_fraction(w0, w1) >> 27) - 31;
}

OSW_HD static inline int64_t osw_random_finer_f64(int32_t sum, uint32_t w0,
                                                  uint32_t w1)
{
    int64_t fraction = osw_random_fraction(w0, w1);

    return (INT64_C(1) << 33) * sum + 2 * fraction - (int64_t)UINT32_MAX;
}

/* [-1, 1) in steps of 2^-23, or of 2^-52. */
OSW_HD static inline float osw_random_uniform_f32(uint32_t w)
{
    return (float)((int32_t)(w >> 8) - (1 << 23)) * 0x1p-23f;
}

OSW_HD static inline double osw_random_uniform_f64(uint32_t w0, uint32_t w1)
{
    uint64_t u = (uint64_t)w0 << 21 | w1 >> 11;

    return (double)((int64_t)u - (INT64_C(1) << 52)) * 0x1p-52;
}

/* [0.5, 1.5) in steps of 2^-23, or of 2^-52. */
OSW_HD static inline float osw_random_positive_f32(uint32_t w)
{
    return (float)(int32_t)((w >> 9) + (1u << 22)) * 0x1p-23f;
}

OSW_HD static inline double osw_random_positive_f64(uint32_t w0, uint32_t w1)
{
    uint64_t u = (uint64_t)w0 << 20 | w1 >> 12;

    return (double)(int64_t)(u + (UINT64_C(1) << 51)) * 0x1p-52;
}

/* [0, 1) in steps of 2^-24, or of 2^-53. */
OSW_HD static inline float osw_random_unit_f32(uint32_t w)
{
    return (float)(int32_t)(w >> 8) * 0x1p-24f;
}

OSW_HD static inline double osw_random_unit_f64(uint32_t w0, uint32_t w1)
{
    uint64_t u = (uint64_t)w0 << 21 | w1 >> 11;

    return (double)(int64_t)u * 0x1p-53;
}

/* Where step `index` of n even ones from 0 to `end` leads, as a whole number;
 * n < 2^32.
 */
OSW_HD static inline uint64_t osw_random_step(uint64_t end, uint64_t n,
                                              uint64_t index)
{
    return end / n * index + end % n * index / n;
}

/* [0, range), range <= 2^32: the upper half of word times range. */
OSW_HD static inline uint64_t osw_random_below(uint32_t w, uint64_t range)
{
    return (w * range) >> 32;
}

/* [0, range) for any range; 0 stands for 2^64. */
OSW_HD static inline uint64_t osw_random_below_wide(uint32_t w0, uint32_t w1,
                                                    uint64_t range)
{
    uint64_t r0 = (uint32_t)range, r1 = range >> 32;
    uint64_t low, middle;

    if (range == 0)
        return (uint64_t)w0 << 32 | w1;
    low = w1 * r0;
    middle = w0 * r0 + (low >> 32);
    low = w1 * r1 + (uint32_t)middle;
    return w0 * r1 + (middle >> 32) + (low >> 32);
}

/* An integer of `bits`: one half of any length, so that products and quotients
 * of two have all lengths, too; the other half within 8 of a quarter of the
 * range on either side of 0, so that they are equal to many where some of their
 * bits are dropped, and a difference of two leaves the range.  No signed one is
 * the least, whose negative there is not.
 */
OSW_HD static inline int64_t osw_random_spread(uint32_t w0, uint32_t w1,
                                               uint32_t w2, uint32_t bits,
                                               int is_signed)
{
    uint64_t w = (uint64_t)w0 << 32 | w1;
    uint32_t shift = 64 - bits + (((w2 >> 16 & 0x7fffu) * bits) >> 15);
    int64_t least = (int64_t)(UINT64_MAX << (bits - 1)), v;

    if (w2 >> 31) {
        v = (int64_t)(UINT64_C(1) << (bits - 2)) + (int64_t)(w1 >> 28) - 8;
        return is_signed && w2 & 1 ? -v : v;
    }
    if (!is_signed)
        return (int64_t)(w >> shift);
    v = (int64_t)w >> shift;
    return v == least ? v + 1 : v;
}

/* Nearly normal distances from 1 or -1, so that the largest is seldom there
 * twice, below 2^-11 and 2^-32.
 */
OSW_HD static inline float osw_random_tie_f32(int32_t sum, int shift)
{
    int32_t far = (1 << 23) + ((sum < 0 ? -sum : sum) >> shift);

    return (float)(sum < 0 ? -far : far) * 0x1p-23f;
}

OSW_HD static inline double osw_random_tie_f64(int32_t sum)
{
    int64_t far = (INT64_C(1) << 50) + (sum < 0 ? -sum : sum);

    return (double)(sum < 0 ? -far : far) * 0x1p-50;
}

/* --- a permutation of [0, n) by its index --- */

enum { OSW_DRAW_ROUNDS = 6 };

struct osw_random_permutation {
    uint64_t n;
    uint32_t half_bits; /* 2^(2 * half_bits) >= n */
    uint32_t keys[OSW_DRAW_ROUNDS];
};

/* A balanced Feistel network is a bijection of 2 * half_bits bits; walking its
 * cycle until the value is below n makes it one of [0, n).  Fewer than 4 steps
 * on average.
 */
OSW_HD static inline uint64_t
osw_random_permute(const struct osw_random_permutation *p, uint64_t index)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << p->half_bits) - 1);

    do {
        uint32_t left = (uint32_t)(index >> p->half_bits);
        uint32_t right = (uint32_t)index & mask;

        for (int r = 0; r < OSW_DRAW_ROUNDS; r++) {
            uint32_t x = (right ^ p->keys[r]) * 0x85ebca6bu, swap = right;

            x = (x ^ x >> 15) * 0xc2b2ae35u;
            right = left ^ ((x ^ x >> 16) & mask);
            left = swap;
        }
        index = (uint64_t)left << p->half_bits | right;
    } while (index >= p->n);
    return index;
}

/* --- special values --- */

enum { OSW_DRAW_SPECIALS = 16, OSW_DRAW_OFTEN = 3 /* a mask, see below */ };

/* Which special value a word asks for, one time in mask + 1 (a power of 2, at
 * most 2^28); else -1.
 */
OSW_HD static inline int osw_random_special(uint32_t w, uint32_t mask)
{
    return (w & mask) == 0 ? (int)(w >> 28) : -1;
}

#endif /* OSW_WORKER_JUDGE_RANDOM_VALUES_H */
