/* shared/collective.h - what collective ops share: how elements of two ranks
 * are combined, and how elements are split into a piece for each rank
 */
#ifndef OSW_LIBRARY_COLLECTIVE_H
#define OSW_LIBRARY_COLLECTIVE_H

#include <string.h>

#include <opsweep/collective.h>
#include <opsweep/elements.h>

/* to[i] = to[i] + from[i], or the larger one; n elements that lie side by side.
 */
typedef void osw_combine(osw_dtype t, void *to, const void *from, int64_t n);

#define OSW_COMBINE_SUM(a, b)    ((a) + (b))
#define OSW_COMBINE_MAX(a, b)    ((a) > (b) || (a) != (a) ? (a) : (b))
#define OSW_COMBINE_LARGER(a, b) ((a) > (b) ? (a) : (b)) /* of integers */

#define OSW_COMBINER(name, type, how)                                          \
    static inline void name(osw_dtype t, void *to, const void *from,           \
                            int64_t n)                                         \
    {                                                                          \
        type *a = (type *)to;                                                  \
        const type *b = (const type *)from;                                    \
                                                                               \
        (void)t;                                                               \
        for (int64_t i = 0; i < n; i++)                                        \
            a[i] = (type)how(a[i], b[i]);                                      \
    }

OSW_COMBINER(osw_combine_sum_f32, float, OSW_COMBINE_SUM)
OSW_COMBINER(osw_combine_max_f32, float, OSW_COMBINE_MAX)
OSW_COMBINER(osw_combine_sum_f64, double, OSW_COMBINE_SUM)
OSW_COMBINER(osw_combine_max_f64, double, OSW_COMBINE_MAX)
/* Unsigned: an overflow wraps around. */
OSW_COMBINER(osw_combine_sum_i32, uint32_t, OSW_COMBINE_SUM)
OSW_COMBINER(osw_combine_max_i32, int32_t, OSW_COMBINE_LARGER)
OSW_COMBINER(osw_combine_sum_i64, uint64_t, OSW_COMBINE_SUM)
OSW_COMBINER(osw_combine_max_i64, int64_t, OSW_COMBINE_LARGER)

/* f16 and bf16, of two bytes each, rounded after each sum. */
#define OSW_COMBINER_SHORT(name, how)                                          \
    static inline void name(osw_dtype t, void *to, const void *from,           \
                            int64_t n)                                         \
    {                                                                          \
        uint16_t *a = (uint16_t *)to;                                          \
        const uint16_t *b = (const uint16_t *)from;                            \
                                                                               \
        for (int64_t i = 0; i < n; i++) {                                      \
            double x = osw_load(t, a + i), y = osw_load(t, b + i);             \
                                                                               \
            osw_store(t, a + i, how(x, y));                                    \
        }                                                                      \
    }

OSW_COMBINER_SHORT(osw_combine_sum_short, OSW_COMBINE_SUM)
OSW_COMBINER_SHORT(osw_combine_max_short, OSW_COMBINE_MAX)

static const struct {
    uint8_t code, bits;
    osw_combine *sum, *max;
} osw_combiners[] = {
    {OSW_FLOAT, 32, osw_combine_sum_f32, osw_combine_max_f32},
    {OSW_FLOAT, 64, osw_combine_sum_f64, osw_combine_max_f64},
    {OSW_INT, 32, osw_combine_sum_i32, osw_combine_max_i32},
    {OSW_INT, 64, osw_combine_sum_i64, osw_combine_max_i64},
    {OSW_FLOAT, 16, osw_combine_sum_short, osw_combine_max_short},
    {OSW_BFLOAT, 16, osw_combine_sum_short, osw_combine_max_short},
};

/* Is argument i "max"? */
static inline int osw_combine_is_max(const osw_call *call, int i)
{
    const osw_arg *how = osw_arg_at(call, i);

    return how->tag == OSW_ARG_STRING && strcmp(how->u.s, "max") == 0;
}

/* Argument i, "sum" (the default) or "max"; NULL: no such way, or dtype. */
static inline osw_combine *osw_combine_of(const osw_call *call, int i,
                                          osw_dtype t)
{
    const osw_arg *how = osw_arg_at(call, i);
    int max = osw_combine_is_max(call, i);

    if (how->tag == OSW_ARG_STRING && !max && strcmp(how->u.s, "sum") != 0)
        return NULL;
    for (size_t k = 0; k < sizeof(osw_combiners) / sizeof(osw_combiners[0]);
         k++)
        if (osw_combiners[k].code == t.code && osw_combiners[k].bits == t.bits)
            return max ? osw_combiners[k].max : osw_combiners[k].sum;
    return NULL;
}

/* A rank's piece of n elements; pieces differ by one at most. */
struct osw_piece {
    int64_t from, n;
};

/* `index` may be any rank, or beyond: it is taken modulo the world. */
static inline struct osw_piece osw_piece_of(int64_t n, int world, int index)
{
    struct osw_piece p;
    int k = (index % world + world) % world;

    p.from = n / world * k + (n % world < k ? n % world : k);
    p.n = n / world + (k < n % world);
    return p;
}

/* Argument 0, if it is contiguous and of a dtype that has elements of whole
 * bytes; else NULL.
 */
static inline const osw_tensor *osw_collective_input(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    return x && osw_is_contiguous(x) ? x : NULL;
}

static inline size_t osw_elem_bytes(const osw_tensor *t)
{
    return t->dtype.bits / 8;
}

/* Element `from` of a contiguous tensor. */
static inline char *osw_elem_at(const osw_tensor *t, int64_t from)
{
    return (char *)osw_data(t) + (size_t)from * osw_elem_bytes(t);
}

#endif /* OSW_LIBRARY_COLLECTIVE_H */
