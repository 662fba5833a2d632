/* worker/judge/compare/compare_element_cuda.cuh - what threads find, and one
 * element looked at exactly
 *
 * A division per value would cost more than reading it, so maxima of ratios
 * are kept for the whole block (`limits`), and a value is divided only when a
 * product shows that it may raise one: err <= limit * size, rounded down, says
 * that the rounded quotient is not above the limit.  Which values are odd
 * depends only on the data, and so does the order in which squares are
 * summed; which ones are divided depends on the race, and their maximum not.
 */
#ifndef OSW_WORKER_JUDGE_COMPARE_ELEMENT_CUDA_CUH
#define OSW_WORKER_JUDGE_COMPARE_ELEMENT_CUDA_CUH

#include <float.h>

#include "worker/judge/memory/judge_device_cuda.cuh"

/* What a thread found; maxima of ratios are in limits. */
struct found : osw_gpu_errors {
    static __device__ struct found none()
    {
        struct found f = {};

        f.first_bad = UINT64_MAX;
        return f;
    }
    static __device__ struct found merge(struct found a, struct found b)
    {
        a.n_bad += b.n_bad;
        a.n_nan += b.n_nan;
        a.n_norm += b.n_norm;
        a.first_bad = min(a.first_bad, b.first_bad);
        a.max_abs = fmax(a.max_abs, b.max_abs);
        a.max_rel = fmax(a.max_rel, b.max_rel);
        a.max_ulp = fmax(a.max_ulp, b.max_ulp);
        a.max_norm = fmax(a.max_norm, b.max_norm);
        a.sum_sq += b.sum_sq;
        a.sum_norm_sq += b.sum_norm_sq;
        a.sum_want_sq += b.sum_want_sq;
        return a;
    }
};

/* --- maxima of a block, as bits: errors are not negative --- */

struct limits {
    unsigned long long abs, rel, ulp, norm;
};

static __device__ void limits_start(struct limits *l,
                                    const struct scratch *scratch)
{
    if (threadIdx.x == 0) { /* what other blocks know already */
        l->abs = __ldcg(&scratch->abs);
        l->rel = __ldcg(&scratch->rel);
        l->ulp = __ldcg(&scratch->ulp);
        l->norm = __ldcg(&scratch->norm);
    }
    __syncthreads();
}

static __device__ __forceinline__ double limit(const unsigned long long *bits)
{
    return __longlong_as_double(
        (long long)*(const volatile unsigned long long *)bits);
}

/* Of lanes that are here together those with the largest upper word: all 32 of
 * a warp would wait for each other.
 */
static __device__ __forceinline__ void raise(unsigned long long *bits,
                                             double to)
{
    unsigned int upper = (unsigned int)__double2hiint(to);

    if (to > limit(bits) && __reduce_max_sync(__activemask(), upper) == upper)
        atomicMax(bits, (unsigned long long)__double_as_longlong(to));
}

/* Limits, as a loop holds values against them. */
struct ratios {
    double abs, rel, rel_more, ulp, norm;
};

/* A quotient that is less than half a place above `rel` is rounded to it:
 * nearly all of that half, so that a maximum that recurs is not taken for more.
 */
static __device__ __forceinline__ struct ratios
ratios_of(const struct limits *l)
{
    struct ratios t = {limit(&l->abs), limit(&l->rel), 0, limit(&l->ulp),
                       limit(&l->norm)};
    int upper = (__double2hiint(t.rel) & 0x7ff00000) - (54 << 20);

    if (upper > 0)
        t.rel_more = __hiloint2double(upper | 0xfffff, 0);
    return t;
}

/* Neither its size in proportion nor in last places raises a maximum. */
static __device__ __forceinline__ bool
is_below(const struct ratios *t, double err, double size, double ulp)
{
    double most = __fma_rd(t->rel, size, __dmul_rd(t->rel_more, size));

    return (ulp <= t->ulp) & (err <= most);
}

/* 2^-exponent, the host's way (compare.c), times the fraction where that does
 * not overflow.
 */
static __device__ __forceinline__ double
per_place(double size, const struct osw_value_rule *r, bool small)
{
    int high = max(__double2hiint(size), __double2hiint(r->min_normal));
    unsigned int scale = 0x7fe00000u - (unsigned int)(high & 0x7ff00000);

    if (small)
        scale += (unsigned int)__double2hiint(r->fraction) - 0x3ff00000u;
    return __hiloint2double((int)scale, 0);
}

/* --- one value, or one element, exactly --- */

static __device__ __noinline__ int
judge_value(const struct osw_value_rule *r, double got, double want,
            double size, double norm, struct found *f, struct limits *l)
{
    double err, amount = osw_value_norm(r, norm);
    int verdict = osw_value_judge(r, got, want, size, amount, &err);

    if (err < 0)
        return verdict;
    raise(&l->abs, err);
    raise(&l->ulp, osw_value_ulps(r, err, want));
    raise(&l->rel, osw_value_rel(err, want));
    f->sum_sq += OSW_MUL(err, err);
    if (amount > 0 && !isinf(want)) {
        double error = err / amount, value = want / amount;

        f->n_norm++;
        raise(&l->norm, error);
        f->sum_norm_sq += OSW_MUL(error, error);
        f->sum_want_sq += OSW_MUL(value, value);
    }
    return verdict;
}

static __device__ __forceinline__ void mark(struct found *f, int verdict,
                                            int64_t index)
{
    if (verdict == OSW_VALUE_GOOD)
        return;
    f->n_bad++;
    f->n_nan += verdict == OSW_VALUE_NAN;
    f->first_bad = min(f->first_bad, (uint64_t)index);
}

/* A value that is not clear, or that may raise a maximum. */
static __device__ __noinline__ void judge_odd(const struct osw_gpu_compare *job,
                                              double got, double want,
                                              double norm, bool clear,
                                              int64_t index, struct found *f,
                                              struct limits *l)
{
    double err = fabs(got - want);

    if (!clear) {
        mark(f, judge_value(&job->rule, got, want, fabs(want), norm, f, l),
             index);
        return;
    }
    raise(&l->abs, err);
    raise(&l->rel, osw_value_rel(err, want));
    raise(&l->ulp, osw_value_ulps(&job->rule, err, want));
    if (norm > 0)
        raise(&l->norm, err / osw_value_amount(&job->rule, norm));
}

/* A part as it is stored; aligned, so that it is one load. */
struct stored {
    uint64_t bits[2];

    __device__ stored(osw_dtype dl, const void *p) : bits{0, 0}
    {
        if (dl.bits == 64)
            bits[0] = *(const uint64_t *)p;
        else if (dl.bits == 32)
            bits[0] = *(const uint32_t *)p;
        else
            bits[0] =
                dl.bits == 16 ? *(const uint16_t *)p : *(const uint8_t *)p;
    }
};

static __device__ double load_value(osw_dtype dl, const void *p)
{
    return osw_load(dl, stored(dl, p).bits);
}

static __device__ void judge_integer(const struct osw_gpu_compare *job,
                                     const char *got, const char *want,
                                     int64_t index, struct found *f,
                                     struct limits *l)
{
    struct stored g(job->dl, got), w(job->dl, want ? want : got);
    struct osw_value_integer v;

    osw_value_judge_integer(&job->rule, job->dl, g.bits, want ? w.bits : NULL,
                            want ? 0 : job->exact[index], &v);
    if (v.err == 0)
        return;
    mark(f, v.verdict, index);
    raise(&l->abs, v.err);
    raise(&l->ulp, v.err);
    raise(&l->rel, v.rel);
    f->sum_sq += OSW_MUL(v.err, v.err);
}

/* Must a value that is near what is wanted be looked at closely?  A zero may
 * have the wrong sign, or stand for a tiny number.
 */
static __device__ __forceinline__ bool is_strict(const struct osw_value_rule *r,
                                                 double got, double want)
{
    bool other_sign = (__double2hiint(got) ^ __double2hiint(want)) < 0;

    return (r->signed_zero & (got == 0) & other_sign) |
           ((fabs(want) < r->tiny) & (got != want));
}

/* The element of an index, of any dtype; want NULL: exact counts. */
static __device__ __noinline__ void
judge_element(const struct osw_gpu_compare *job, const char *got,
              const char *want, int64_t index, struct found *f,
              struct limits *l)
{
    int worst = OSW_VALUE_GOOD, step = job->bytes / job->parts;
    double wanted[2];

    if (job->whole) {
        judge_integer(job, got, want, index, f, l);
        return;
    }
    for (int k = 0; k < job->parts; k++)
        wanted[k] = want ? load_value(job->part_dl, want + k * step)
                         : job->exact[index];
    for (int k = 0; k < job->parts; k++) {
        double g = load_value(job->part_dl, got + k * step), w = wanted[k];
        double norm = !want && job->norm ? job->norm[index] : 0;

        if (g == w && !(norm > 0) && !is_strict(&job->rule, g, w))
            continue; /* no error, nothing to hold it against */
        worst = max(worst, judge_value(&job->rule, g, w,
                                       osw_value_size(wanted, job->parts, k),
                                       norm, f, l));
    }
    mark(f, worst, index);
}

static __device__ __forceinline__ void
judge_plain(const struct osw_gpu_compare *job, int64_t index, struct found *f,
            struct limits *l)
{
    const char *got = (const char *)job->got + index * job->bytes;
    const char *want = (const char *)job->want;

    judge_element(job, got, want ? want + index * job->bytes : NULL, index, f,
                  l);
}

/* All of the grid, merged: into the host's sight. */
static __device__ void finish(struct found mine, struct limits *l,
                              struct scratch *scratch,
                              struct osw_gpu_result *result)
{
    struct found all;

    __syncthreads();
    if (threadIdx.x == 0) {
        mine.max_abs = fmax(mine.max_abs, limit(&l->abs));
        mine.max_rel = limit(&l->rel);
        mine.max_ulp = limit(&l->ulp);
        mine.max_norm = limit(&l->norm);
        atomicMax(&scratch->abs, l->abs);
        atomicMax(&scratch->rel, l->rel);
        atomicMax(&scratch->ulp, l->ulp);
        atomicMax(&scratch->norm, l->norm);
    }
    if (merge_grid(mine, scratch, &all))
        result->errors = all;
}

/* --- groups of elements that lie side by side --- */

static __device__ __forceinline__ bool is_same(uint4 a, uint4 b)
{
    return ((a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w)) == 0;
}

struct two_groups {
    uint4 a[2], b[2];
};

/* Those that are not below `last` are equal zeros. */
static __device__ __forceinline__ struct two_groups
load_two(const struct osw_gpu_compare *job, int64_t at, int64_t last)
{
    struct two_groups v = {};

#pragma unroll
    for (int i = 0; i < 2; i++, at += n_threads())
        if (at < last) {
            v.a[i] = __ldcs((const uint4 *)job->got + at);
            v.b[i] = __ldcs((const uint4 *)job->want + at);
        }
    return v;
}

#endif /* OSW_WORKER_JUDGE_COMPARE_ELEMENT_CUDA_CUH */
