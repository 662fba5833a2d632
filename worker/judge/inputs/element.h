/* worker/judge/inputs/element.h - one element of a fill, made by itself
 *
 * A rule is plain data: what recipe.h works out once per tensor.  The same
 * function makes an element on the host and on a device; recipes do it for
 * many at once and give the same bits (test_recipe.c).
 */
#ifndef OSW_WORKER_JUDGE_ELEMENT_H
#define OSW_WORKER_JUDGE_ELEMENT_H

#include <stdint.h>

#include <opsweep/elements.h>

#include "worker/judge/inputs/element_round.h"
#include "worker/judge/inputs/philox.h"
#include "worker/judge/inputs/random_values.h"

/* How a value is generated, and in which type.  Those of a type stand together.
 */
enum osw_element_draw {
    OSW_ELEMENT_NORMAL_F32,
    OSW_ELEMENT_UNIFORM_F32,
    OSW_ELEMENT_POSITIVE_F32,
    OSW_ELEMENT_TIES_F32,
    OSW_ELEMENT_UNIT_F32,
    OSW_ELEMENT_INTEGERS_F32,
    OSW_ELEMENT_NORMAL_F64,
    OSW_ELEMENT_UNIFORM_F64,
    OSW_ELEMENT_POSITIVE_F64,
    OSW_ELEMENT_TIES_F64,
    OSW_ELEMENT_UNIT_F64,
    OSW_ELEMENT_ASCENDING_F64,
    OSW_ELEMENT_OFFSET_F64,
    OSW_ELEMENT_INTEGERS_I64,
    OSW_ELEMENT_INDEX_I64, /* INTEGERS_I64, but for two elements: see ends */
    OSW_ELEMENT_WIDE_I64,
    OSW_ELEMENT_SPREAD_I64,
    OSW_ELEMENT_ASCENDING_I64,
    OSW_ELEMENT_SHARES_I64,
    OSW_ELEMENT_PERMUTATION_I64,
    OSW_ELEMENT_DISTINCT_BITS, /* a permutation of numbers, as stored: more than
                                  there are integers */
    OSW_ELEMENT_CONSTANT,      /* nothing is random: bits */
};

struct osw_element_rule {
    struct osw_philox_keys keys; /* of the seed */
    uint32_t tensor, rep;
    int32_t draw;        /* enum osw_element_draw */
    osw_dtype part;      /* what one part is stored as */
    uint8_t parts;       /* 2 for complex */
    uint8_t specials;    /* put special values among the random ones */
    uint8_t second_is_0; /* a complex number's imaginary part */
    int64_t low;         /* integer kinds: smallest value; DISTINCT_BITS:
                            the bits of the smallest positive one */
    uint64_t range;      /* and how many of them; 0: 2^64; what steps add
                            up to */
    uint64_t row;        /* elements of the last dimension, */
    uint64_t lead;       /* and of one index of the first */
    uint32_t rarely;     /* special values: one in rarely + 1 elements */
    uint64_t run;        /* of a permutation: elements with the same value */
    uint8_t turns;       /* each time that it begins again, it does elsewhere */
    int64_t ends[2];     /* indices of an element that is the smallest value,
                            and of one that is the largest */
    double offset;       /* added to normals; where ascending ones begin, */
    double step, last;   /* how they go on, and end */
    uint64_t bits;       /* of a constant's part, as stored */
    uint64_t special[OSW_DRAW_SPECIALS]; /* likewise */
    uint64_t special_step;  /* elements from one to the next of those that are
                               put in any case; 0: none is */
    uint64_t special_first; /* index of the first one, below special_step */
    struct osw_random_permutation permutation;
};

/* The parts' bits as stored, in the low bytes; part[1] is a complex one's. */
struct osw_element_bits {
    uint64_t part[2];
};

/* Words of a part: four of a real element, or two of a complex one's part. */
struct osw_element_words {
    uint32_t a, b, c, d;
    int n;
};

/* --- random values --- */

OSW_HD static inline float osw_element_f32(int32_t draw,
                                           const struct osw_element_rule *r,
                                           const struct osw_element_words *w)
{
    switch (draw) {
    case OSW_ELEMENT_UNIFORM_F32:
        return osw_random_uniform_f32(w->a);
    case OSW_ELEMENT_POSITIVE_F32:
        return osw_random_positive_f32(w->a);
    case OSW_ELEMENT_UNIT_F32:
        return osw_random_unit_f32(w->a);
    case OSW_ELEMENT_TIES_F32:
        return w->n == 4 ? osw_random_tie_f32(
                               osw_random_sum8(w->a, w->b, w->c, w->d), 6)
                         : osw_random_tie_f32(osw_random_sum4(w->a, w->b), 5);
    case OSW_ELEMENT_INTEGERS_F32:
        return (float)((int32_t)r->low +
                       (int32_t)osw_random_below(w->a, r->range));
    default:
        return w->n == 4
                   ? (float)osw_random_finer_f32(
                         osw_random_sum8(w->a, w->b, w->c, w->d), w->a, w->b) *
                         (float)(OSW_DRAW_SCALE8 * 0x1p-6)
                   : (float)osw_random_finer_f32(osw_random_sum4(w->a, w->b),
                                                 w->a, w->b) *
                         (float)(OSW_DRAW_SCALE4 * 0x1p-6);
    }
}

/* At random around an even step. */
OSW_HD static inline double
osw_element_ascending(const struct osw_element_rule *r, uint32_t word,
                      int64_t index)
{
    uint64_t at = (uint64_t)index % r->row;

    if (at == 0)
        return r->offset;
    if (at + 1 == r->row)
        return r->last;
    return OSW_ADD(r->offset,
                   OSW_MUL(r->step, (double)(int64_t)at - 0.5 +
                                        osw_random_unit_f64(word, 0)));
}

OSW_HD static inline double osw_element_f64(int32_t draw,
                                            const struct osw_element_rule *r,
                                            const struct osw_element_words *w,
                                            int64_t index)
{
    double normal;

    if (draw == OSW_ELEMENT_UNIFORM_F64)
        return osw_random_uniform_f64(w->a, w->b);
    if (draw == OSW_ELEMENT_POSITIVE_F64)
        return osw_random_positive_f64(w->a, w->b);
    if (draw == OSW_ELEMENT_UNIT_F64)
        return osw_random_unit_f64(w->a, w->b);
    if (draw == OSW_ELEMENT_ASCENDING_F64)
        return osw_element_ascending(r, w->a, index);
    if (draw == OSW_ELEMENT_TIES_F64)
        return osw_random_tie_f64(w->n == 4
                                      ? osw_random_sum8(w->a, w->b, w->c, w->d)
                                      : osw_random_sum4(w->a, w->b));
    normal =
        w->n == 4
            ? OSW_MUL((double)osw_random_finer_f64(
                          osw_random_sum8(w->a, w->b, w->c, w->d), w->a, w->b),
                      OSW_DRAW_SCALE8 * 0x1p-33)
            : OSW_MUL((double)osw_random_finer_f64(osw_random_sum4(w->a, w->b),
                                                   w->a, w->b),
                      OSW_DRAW_SCALE4 * 0x1p-33);
    return draw == OSW_ELEMENT_OFFSET_F64 ? OSW_ADD(normal, r->offset) : normal;
}

/* By how much the permutation is turned the k-th time that it begins. */
OSW_HD static inline uint64_t osw_element_turn(uint64_t k, uint64_t n)
{
    k *= UINT64_C(0x9e3779b97f4a7c15);
    k = (k ^ k >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (k ^ k >> 32) % n;
}

OSW_HD static inline uint64_t
osw_element_permuted(const struct osw_element_rule *r, int64_t index)
{
    uint64_t n = r->permutation.n, at = (uint64_t)index / r->run;
    uint64_t turn = r->turns && at >= n ? osw_element_turn(at / n, n) : 0;

    return osw_random_permute(&r->permutation, (at % n + turn) % n);
}

/* Positive numbers, and beyond these the same below zero. */
OSW_HD static inline uint64_t
osw_element_distinct_bits(const struct osw_element_rule *r, int64_t index)
{
    uint64_t at = osw_element_permuted(r, index);

    return at < r->range ? (uint64_t)r->low + at
                         : UINT64_C(1) << (r->part.bits - 1) |
                               ((uint64_t)r->low + at - r->range);
}

OSW_HD static inline int64_t osw_element_i64(int32_t draw,
                                             const struct osw_element_rule *r,
                                             const struct osw_element_words *w,
                                             int64_t index)
{
    uint64_t above, at;

    if (draw == OSW_ELEMENT_PERMUTATION_I64)
        return (int64_t)osw_element_permuted(r, index);
    if (draw == OSW_ELEMENT_DISTINCT_BITS)
        return (int64_t)osw_element_distinct_bits(r, index);
    if (draw == OSW_ELEMENT_ASCENDING_I64)
        return r->low + (int64_t)osw_random_step(r->range,
                                                 r->row > 1 ? r->row - 1 : 1,
                                                 (uint64_t)index % r->row);
    if (draw == OSW_ELEMENT_SHARES_I64) {
        at = (uint64_t)index % r->row;
        return (int64_t)(osw_random_step(r->range, r->row, at + 1) -
                         osw_random_step(r->range, r->row, at));
    }
    if (draw == OSW_ELEMENT_SPREAD_I64)
        return osw_random_spread(w->a, w->b, w->c, r->part.bits,
                                 r->part.code == OSW_INT);
    above = draw == OSW_ELEMENT_WIDE_I64
                ? osw_random_below_wide(w->a, w->b, r->range)
                : osw_random_below(w->a, r->range);
    if (draw == OSW_ELEMENT_INDEX_I64) {
        above = index == r->ends[0] ? 0 : above;
        above = index == r->ends[1] ? r->range - 1 : above;
    }
    return (int64_t)((uint64_t)r->low + above);
}

/* --- stores: values to the bits of a part --- */

/* Finite ones only: a device's NaN has other bits. */
OSW_HD static inline uint16_t osw_element_to_f16(float v)
{
#ifdef __CUDA_ARCH__ /* one instruction */
    uint16_t bits;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return bits;
#else
    return osw_f32_to_f16(v);
#endif
}

OSW_HD static inline uint16_t osw_element_to_bf16(float v)
{
#ifdef __CUDA_ARCH__
    uint16_t bits;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return bits;
#else
    return osw_f32_to_bf16(v);
#endif
}

OSW_HD static inline uint64_t osw_element_store_f32(osw_dtype part, float v)
{
    if (part.bits == 32)
        return osw_f32_bits(v);
    return part.code == OSW_BFLOAT ? osw_element_to_bf16(v)
                                   : osw_element_to_f16(v);
}

OSW_HD static inline uint64_t osw_element_store_f64(osw_dtype part, double v)
{
    uint64_t bits[2] = {0, 0};

    if (part.bits == 64)
        return osw_f64_bits(v);
    osw_store(part, bits, v); /* little endian: the low bytes */
    return bits[0];
}

OSW_HD static inline uint64_t osw_element_store_i64(osw_dtype part, int64_t v)
{
    if (part.code == OSW_BOOL)
        return v != 0;
    if (part.code == OSW_FLOAT && part.bits == 32)
        return osw_f32_bits((float)v); /* rounded once */
    if (part.code == OSW_FLOAT || part.code == OSW_BFLOAT)
        return osw_element_store_f64(part, (double)v);
    return (uint64_t)v;
}

/* --- elements --- */

/* Which special value an element is; else -1.  One NaN hides all other elements
 * of a sum, and two special values meet only where they are frequent: so one
 * in 4 elements is special where the first and the last coordinate are odd, and
 * few are in all other rows and columns.  A small tensor has each of them,
 * whatever its words ask for.
 */
OSW_HD static inline int osw_element_special(const struct osw_element_rule *r,
                                             uint32_t word, int64_t index)
{
    uint64_t at = (uint64_t)index;
    uint32_t mask =
        at / r->lead & at % r->row & 1 ? (uint32_t)OSW_DRAW_OFTEN : r->rarely;

    if (r->special_step && at % r->special_step == r->special_first &&
        at / r->special_step < OSW_DRAW_SPECIALS)
        return (int)(at / r->special_step);
    return osw_random_special(word, mask);
}

OSW_HD static inline uint64_t
osw_element_part(int32_t draw, osw_dtype part, const struct osw_element_rule *r,
                 const struct osw_element_words *w, int64_t index)
{
    int special = r->specials ? osw_element_special(r, w->a, index) : -1;

    if (special >= 0)
        return r->special[special];
    if (draw <= OSW_ELEMENT_INTEGERS_F32)
        return osw_element_store_f32(part, osw_element_f32(draw, r, w));
    if (draw <= OSW_ELEMENT_OFFSET_F64)
        return osw_element_store_f64(part, osw_element_f64(draw, r, w, index));
    if (draw <= OSW_ELEMENT_PERMUTATION_I64)
        return osw_element_store_i64(part, osw_element_i64(draw, r, w, index));
    if (draw == OSW_ELEMENT_DISTINCT_BITS)
        return osw_element_distinct_bits(r, index);
    return r->bits;
}

/* The element of an index (see fill.h). */
OSW_HD static inline struct osw_element_bits
osw_recipe_element(const struct osw_element_rule *r, int64_t index)
{
    struct osw_philox p =
        osw_philox_rounds((uint32_t)index, (uint32_t)((uint64_t)index >> 32),
                          r->tensor, r->rep, &r->keys);
    struct osw_element_words w = {p.w[0], p.w[1], p.w[2], p.w[3], 4};
    struct osw_element_bits e = {{0, 0}};

    if (r->parts == 2)
        w.n = 2;
    e.part[0] = osw_element_part(r->draw, r->part, r, &w, index);
    if (r->parts == 2 && !r->second_is_0) {
        w.a = p.w[2];
        w.b = p.w[3];
        e.part[1] = osw_element_part(r->draw, r->part, r, &w, index);
    }
    return e;
}

#endif /* OSW_WORKER_JUDGE_ELEMENT_H */
