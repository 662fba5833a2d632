/* shared/plain_sums.h - baselines: sums over some dimensions
 *
 * Floats are summed in double, integers in int64.  Where the innermost
 * dimension is summed, each output is one sum over a row after the other; else
 * rows are added to a row of sums.
 */
#ifndef OSW_LIBRARY_PLAIN_SUMS_H
#define OSW_LIBRARY_PLAIN_SUMS_H

#include "plain.h"
#include "reduce.h"

/* *sum += x [n]; and sums [n] += x [n] */
#define OSW_PLAIN_SUM(d, code, bits, E, get, put, S)                           \
    static inline void osw_plain_sum_##d(void *to, const char *p,              \
                                         int64_t step, int64_t n)              \
    {                                                                          \
        const E *x = (const E *)(const void *)p;                               \
        S sum = *(const S *)to;                                                \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            sum += (S)get(x[i * step]);                                        \
        *(S *)to = sum;                                                        \
    }                                                                          \
    static inline void osw_plain_add_##d(void *to, const char *p,              \
                                         int64_t step, int64_t n)              \
    {                                                                          \
        const E *x = (const E *)(const void *)p;                               \
        S *sums = (S *)to;                                                     \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            sums[i] += (S)get(x[i * step]);                                    \
    }

OSW_PLAIN_16_AND_32(OSW_PLAIN_SUM, double)
OSW_PLAIN_64(OSW_PLAIN_SUM, double)
OSW_PLAIN_INTEGERS(OSW_PLAIN_SUM, uint64_t)

struct osw_plain_adder {
    int code, bits;
    void (*sum)(void *to, const char *x, int64_t step, int64_t n);
    void (*add)(void *to, const char *x, int64_t step, int64_t n);
};

#define OSW_PLAIN_SUM_ROW(d, code, bits, E, get, put, ...)                     \
    {code, bits, osw_plain_sum_##d, osw_plain_add_##d},

static inline const struct osw_plain_adder *osw_plain_find_adder(osw_dtype t)
{
    static const struct osw_plain_adder adders[] = {
        OSW_PLAIN_16_AND_32(OSW_PLAIN_SUM_ROW, )
            OSW_PLAIN_64(OSW_PLAIN_SUM_ROW, )
                OSW_PLAIN_INTEGERS(OSW_PLAIN_SUM_ROW, )};
    size_t i;

    for (i = 0; i < sizeof(adders) / sizeof(adders[0]); i++)
        if (adders[i].code == t.code && adders[i].bits == t.bits)
            return &adders[i];
    return NULL;
}

/* The k-th output from its sum: a double or an int64. */
static inline void osw_plain_put_sum(const struct osw_reduce *r, int64_t k,
                                     const void *sum, double divisor)
{
    void *to = osw_at(r->out, k);

    if (r->out->dtype.code == OSW_INT)
        memcpy(to, sum, 8);
    else if (osw_reduce_is_float(r->x->dtype))
        osw_store(r->out->dtype, to, *(const double *)sum / divisor);
    else
        osw_store(r->out->dtype, to, (double)*(const int64_t *)sum / divisor);
}

/* The last of some dimensions apart; one of size 1 where there is none. */
static inline struct osw_reduce_dims
osw_plain_split_last(const struct osw_reduce_dims *d, int64_t *n, int64_t *step)
{
    struct osw_reduce_dims outer = *d;

    *n = 1;
    *step = 0;
    if (outer.n) {
        *n = outer.shape[--outer.n];
        *step = outer.strides[outer.n];
        outer.numel = *n ? outer.numel / *n : 0;
    }
    return outer;
}

/* One output: threads share the rows, or all elements where they are one row.
 */
static inline void osw_plain_sum_all(const osw_call *call,
                                     const struct osw_reduce *r,
                                     const struct osw_plain_adder *adder,
                                     double divisor)
{
    int64_t n, step, total = osw_numel(r->x), n_rows, row;
    struct osw_reduce_dims outer = osw_plain_split_last(&r->summed, &n, &step);
    int threads = osw_plain_threads(call, total);
    int whole = osw_is_contiguous(r->x);
    int is_float = osw_reduce_is_float(r->x->dtype);
    uint64_t integers = 0, bits;
    double reals = 0.0;

    if (whole) {
        n = (total + threads - 1) / threads;
        step = 1;
    }
    n_rows = whole ? threads : outer.numel;
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(+ : integers, reals)
    for (row = 0; row < n_rows; row++) {
        int64_t at = whole ? row * n : osw_reduce_offset(&outer, row);
        int64_t m = whole && total - at < n ? total - at : n;
        uint64_t sum = 0; /* or the bits of a double */
        double real;

        adder->sum(&sum, (const char *)osw_at(r->x, at), step, m);
        memcpy(&real, &sum, sizeof(real));
        integers += is_float ? 0 : sum;
        reals += is_float ? real : 0.0;
    }
    memcpy(&bits, &reals, sizeof(bits));
    bits = is_float ? bits : integers;
    osw_plain_put_sum(r, 0, &bits, divisor);
}

static inline void osw_plain_sum_rows(const osw_call *call,
                                      const struct osw_reduce *r,
                                      const struct osw_plain_adder *adder,
                                      double divisor)
{
    int threads = osw_plain_threads(call, osw_numel(r->x));
    int64_t n, step, k;
    struct osw_reduce_dims outer = osw_plain_split_last(&r->summed, &n, &step);

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (k = 0; k < r->kept.numel; k++) {
        int64_t at = osw_reduce_offset(&r->kept, k), s;
        uint64_t sum = 0; /* or the bits of a double */

        for (s = 0; s < outer.numel; s++)
            adder->sum(
                &sum,
                (const char *)osw_at(r->x, at + osw_reduce_offset(&outer, s)),
                step, n);
        osw_plain_put_sum(r, k, &sum, divisor);
    }
}

/* Columns [first, first + n) of all outputs; sums: [n] */
static inline void osw_plain_sum_columns(const struct osw_reduce *r,
                                         const struct osw_plain_adder *adder,
                                         int64_t first, int64_t n,
                                         uint64_t *sums, double divisor)
{
    int64_t cols, step, o, s, i;
    struct osw_reduce_dims outer = osw_plain_split_last(&r->kept, &cols, &step);

    for (o = 0; o < outer.numel; o++) {
        int64_t at = osw_reduce_offset(&outer, o) + first * step;

        memset(sums, 0, (size_t)n * 8);
        for (s = 0; s < r->summed.numel; s++)
            adder->add(sums,
                       (const char *)osw_at(
                           r->x, at + osw_reduce_offset(&r->summed, s)),
                       step, n);
        for (i = 0; i < n; i++)
            osw_plain_put_sum(r, o * cols + first + i, &sums[i], divisor);
    }
}

static inline int osw_plain_sums(const osw_call *call,
                                 const struct osw_reduce *r, double divisor)
{
    const struct osw_plain_adder *adder = osw_plain_find_adder(r->x->dtype);
    int threads = osw_plain_threads(call, osw_numel(r->x)), t;
    int64_t cols = r->kept.n ? r->kept.shape[r->kept.n - 1] : 1;
    uint64_t *sums;

    if (!adder)
        return OSW_UNSUPPORTED;
    if (!osw_reduce_is_float(r->out->dtype) &&
        (osw_reduce_is_float(r->x->dtype) || !osw_is(r->out, OSW_INT, 64)))
        return OSW_UNSUPPORTED;
    if (r->kept.numel == 1) {
        osw_plain_sum_all(call, r, adder, divisor);
        return 0;
    }
    if (!osw_reduce_by_columns(r)) {
        osw_plain_sum_rows(call, r, adder, divisor);
        return 0;
    }
    sums = (uint64_t *)osw_workspace(call, (size_t)cols * 8 + 8);
    if (!sums)
        return OSW_ERROR;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (t = 0; t < threads; t++) {
        int64_t first = cols * t / threads, end = cols * (t + 1) / threads;

        osw_plain_sum_columns(r, adder, first, end - first, sums + first,
                              divisor);
    }
    return 0;
}

#endif /* OSW_LIBRARY_PLAIN_SUMS_H */
