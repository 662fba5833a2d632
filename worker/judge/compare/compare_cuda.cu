/* worker/judge/compare/compare_cuda.cu - outputs against what they should be,
 * on a GPU
 *
 * Contiguous floats have kernels that read 16 bytes at a time and look at
 * values quickly; what is odd is judged by compare_value.h, as on the host.
 *
 * A division per value would cost more than reading it, so maxima of ratios
 * are kept for the whole block (`limits`), and a value is divided only when a
 * product shows that it may raise one: err <= limit * size, rounded down, says
 * that the rounded quotient is not above the limit.  Which values are odd
 * depends on the data alone, and so does the order in which squares are
 * summed; which ones are divided depends on the race, and their maximum not.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>

#include "worker/judge/memory/judge_device_cuda.cuh"

/* What a thread found; maxima of ratios are in limits. */
struct found {
    unsigned long long n_bad, n_nan, n_norm, first_bad;
    double max_abs, max_rel, max_ulp, max_norm;
    double sum_sq, sum_norm_sq, sum_want_sq;

    static __device__ struct found none()
    {
        return {0, 0, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0, 0};
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

static __device__ __noinline__ int judge_value(const struct osw_value_rule *r,
                                               double got, double want,
                                               double norm, struct found *f,
                                               struct limits *l)
{
    double err, amount = osw_value_norm(r, norm);
    int verdict = osw_value_judge(r, got, want, amount, &err);

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
    f->first_bad = min(f->first_bad, (unsigned long long)index);
}

/* `bits` of a part; aligned, so that it is one load. */
static __device__ uint64_t load_bits(const void *p, int bits)
{
    if (bits == 64)
        return *(const uint64_t *)p;
    if (bits == 32)
        return *(const uint32_t *)p;
    return bits == 16 ? *(const uint16_t *)p : *(const uint8_t *)p;
}

static __device__ double load_value(osw_dtype dl, const void *p)
{
    uint64_t bits[2] = {load_bits(p, dl.bits), 0};

    return osw_load(dl, bits);
}

static __device__ int64_t load_integer(osw_dtype dl, const void *p)
{
    uint64_t bits[2] = {load_bits(p, dl.bits), 0};

    return osw_value_stored(dl, bits);
}

static __device__ int64_t load_wanted(osw_dtype dl, const void *p, int64_t got)
{
    uint64_t bits[2] = {load_bits(p, dl.bits), 0};

    return osw_value_wanted(dl, bits, got);
}

static __device__ void judge_integer(const struct osw_gpu_compare *job,
                                     const char *got, const char *want,
                                     int64_t index, struct found *f,
                                     struct limits *l)
{
    int64_t g = load_integer(job->dl, got), w = 0;
    bool possible = true;
    double err;

    if (want)
        w = load_wanted(job->dl, want, g);
    else
        possible = osw_value_to_integer(job->dl, job->exact[index], &w) != 0;
    if (possible && g == w)
        return;
    err = possible ? osw_value_distance(g, w) : INFINITY;
    mark(f, OSW_VALUE_BAD, index);
    raise(&l->abs, err);
    raise(&l->ulp, err);
    raise(&l->rel, osw_value_rel(err, (double)w));
    f->sum_sq += OSW_MUL(err, err);
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

    if (job->whole) {
        judge_integer(job, got, want, index, f, l);
        return;
    }
    for (int k = 0; k < job->parts; k++) {
        double g = load_value(job->part_dl, got + k * step);
        double w = want ? load_value(job->part_dl, want + k * step)
                        : job->exact[index];
        double norm = !want && job->norm ? job->norm[index] : 0;

        if (g == w && !(norm > 0) && !is_strict(&job->rule, g, w))
            continue; /* no error, nothing to hold it against */
        worst = max(worst, judge_value(&job->rule, g, w, norm, f, l));
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
        result->errors = {all.n_bad,       all.n_nan,      all.n_norm,
                          all.first_bad,   all.max_abs,    all.max_rel,
                          all.max_ulp,     all.max_norm,   all.sum_sq,
                          all.sum_norm_sq, all.sum_want_sq};
}

/* --- a view against a view, in float --- */

/* MIN_NORMAL: bits, in float, of the smallest number whose last place is still
 * its exponent's; 0 where that is float's own.
 */
struct f32_values {
    enum { N = 4, MIN_NORMAL = 0 };
    static __device__ __forceinline__ void unpack(uint4 v, float *to)
    {
        to[0] = __uint_as_float(v.x);
        to[1] = __uint_as_float(v.y);
        to[2] = __uint_as_float(v.z);
        to[3] = __uint_as_float(v.w);
    }
};

struct f16_values {
    enum { N = 8, MIN_NORMAL = 0x38800000 };
    static __device__ __forceinline__ void unpack(uint4 v, float *to)
    {
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};

        for (int i = 0; i < 4; i++) {
            to[2 * i] = __half2float(__ushort_as_half((uint16_t)w[i]));
            to[2 * i + 1] =
                __half2float(__ushort_as_half((uint16_t)(w[i] >> 16)));
        }
    }
};

struct bf16_values {
    enum { N = 8, MIN_NORMAL = 0 };
    static __device__ __forceinline__ void unpack(uint4 v, float *to)
    {
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};

        for (int i = 0; i < 4; i++) {
            to[2 * i] = __uint_as_float(w[i] << 16);
            to[2 * i + 1] = __uint_as_float(w[i] & 0xffff0000u);
        }
    }
};

/* What a value in float is held against; all rounded down. */
struct bounds {
    float rtol, atol;
    float rel, last_places; /* of limits: ulp / fraction */
    float strict;           /* sizes below it are looked at closely */
};

static __device__ __forceinline__ struct bounds
bounds_start(const struct osw_value_rule *r)
{
    struct bounds b = {__double2float_rd(r->rtol), __double2float_rd(r->atol),
                       0, 0, 0};

    /* An error is a multiple of this, and only one below is taken. */
    b.atol = fmaxf(b.atol, 0x1p-149f);
    b.strict = __double2float_ru(r->tiny);
    if (r->signed_zero)
        b.strict = fmaxf(b.strict, 0x1p-149f);
    return b;
}

static __device__ __forceinline__ void
bounds_refresh(struct bounds *b, const struct limits *l, float per_fraction)
{
    b->rel = __double2float_rd(limit(&l->rel));
    b->last_places = __double2float_rd(limit(&l->ulp)) * per_fraction;
}

/* Good for certain, and its difference exact in float: of numbers that are
 * within a factor of two of each other it is.  False for NaN and infinities,
 * for which the first comparison is inf < inf at best.
 */
static __device__ __forceinline__ bool is_clear(const struct bounds *b,
                                                float err, float size)
{
    return (err < __fmaf_rd(b->rtol, size, b->atol)) & (err <= 0.5f * size) &
           !((size < b->strict) & (err > 0 || size == 0));
}

/* Raises no maximum, for certain.  Below float's smallest normal number the
 * last place is taken for smaller than it is.
 */
template <class V>
static __device__ __forceinline__ bool is_quiet(const struct bounds *b,
                                                float err, float size)
{
    unsigned int exponent = __float_as_uint(size) & 0x7f800000u;
    float last = __uint_as_float(max(exponent, (unsigned int)V::MIN_NORMAL));

    return (err <= __fmul_rd(b->rel, size)) &
           (err <= __fmul_rd(b->last_places, last));
}

/* Of a group: are all values clear, are all quiet, and what they add. */
struct look {
    bool clear, quiet;
    float max_abs;
    double sum_sq;
};

template <class V>
static __device__ __forceinline__ struct look look(uint4 a, uint4 b,
                                                   const struct bounds *bounds)
{
    struct look seen = {true, true, 0, 0};
    float got[V::N], want[V::N];

    V::unpack(a, got);
    V::unpack(b, want);
#pragma unroll
    for (int k = 0; k < V::N; k++) {
        float off = __fsub_rn(got[k], want[k]);
        float err = fabsf(off), size = fabsf(want[k]);

        seen.clear = seen.clear & is_clear(bounds, err, size);
        seen.quiet = seen.quiet & is_quiet<V>(bounds, err, size);
        seen.max_abs = fmaxf(seen.max_abs, err);
        seen.sum_sq = fma((double)off, (double)off, seen.sum_sq);
    }
    return seen;
}

/* A value that is not clear, or that may raise a maximum. */
static __device__ __noinline__ void
look_at_odd(const struct osw_gpu_compare *job, float got, float want,
            bool clear, int64_t index, struct found *f, struct limits *l)
{
    double err = fabsf(__fsub_rn(got, want));

    if (!clear) {
        mark(f, judge_value(&job->rule, got, want, 0, f, l), index);
        return;
    }
    raise(&l->rel, osw_value_rel(err, want));
    raise(&l->ulp, osw_value_ulps(&job->rule, err, want));
}

/* A group of which some value is not quiet; or not clear, and then none has
 * been counted.  Limits in double tell most of those that are quiet after all.
 */
template <class V>
static __device__ __noinline__ void
look_closer(const struct osw_gpu_compare *job, int64_t group, bool counted,
            struct found *f, struct limits *l)
{
    const struct bounds bounds = bounds_start(&job->rule);
    float got[V::N], want[V::N];
    double sum_sq = 0, max_abs = 0;

    V::unpack(((const uint4 *)job->got)[group], got);
    V::unpack(((const uint4 *)job->want)[group], want);
#pragma unroll
    for (int k = 0; k < V::N; k++) {
        float size = fabsf(want[k]), near = fabsf(__fsub_rn(got[k], want[k]));
        bool clear = is_clear(&bounds, near, size);
        double err = near, ulp = err * per_place(size, &job->rule, true);
        struct ratios ratios = ratios_of(l);

        if (clear && !counted) {
            sum_sq = fma(err, err, sum_sq);
            max_abs = fmax(max_abs, err);
        }
        if (!(clear && is_below(&ratios, err, size, ulp)))
            look_at_odd(job, got[k], want[k], clear, group * V::N + k, f, l);
    }
    f->sum_sq += sum_sq;
    f->max_abs = fmax(f->max_abs, max_abs);
}

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

/* Bits that are equal need no look: also of NaN there are no errors then.
 *
 * A warp leaves the inner loop together when some lane has a closer look to
 * take: a call in there would have what the loop needs spilled to memory.
 */
template <class V>
__global__ void __launch_bounds__(THREADS, 4)
    compare_views(const __grid_constant__ struct osw_gpu_compare job,
                  struct scratch *scratch, struct osw_gpu_result *result)
{
    __shared__ struct limits limits;
    struct found f = found::none();
    struct bounds bounds = bounds_start(&job.rule);
    float per_fraction = (float)(1 / job.rule.fraction), max_abs = 0;
    int64_t last = job.to / V::N, step = n_threads(), lane = threadIdx.x % WARP;
    int64_t first = job.from / V::N + thread_id() - lane; /* of the warp */
    int64_t rest = last * V::N + thread_id();
    double sum_sq = 0;

    limits_start(&limits, scratch);
    while (first < last) {
        unsigned int odd = 0, counted = 0; /* a bit for either group */

        for (; first < last; first += 2 * step) {
            struct two_groups v = load_two(&job, first + lane, last);

            bounds_refresh(&bounds, &limits, per_fraction);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                struct look seen;

                if (is_same(v.a[i], v.b[i]))
                    continue;
                seen = look<V>(v.a[i], v.b[i], &bounds);
                if (seen.clear) {
                    sum_sq += seen.sum_sq;
                    max_abs = fmaxf(max_abs, seen.max_abs);
                    counted |= 1u << i;
                }
                if (!(seen.clear & seen.quiet))
                    odd |= 1u << i;
            }
            if (__any_sync(~0u, odd != 0))
                break;
            counted = 0;
        }
        if (odd & 1)
            look_closer<V>(&job, first + lane, counted & 1, &f, &limits);
        if (odd & 2)
            look_closer<V>(&job, first + lane + step, counted & 2, &f, &limits);
        first += 2 * step;
    }
    if (rest < job.to)
        judge_plain(&job, rest, &f, &limits);
    f.sum_sq += sum_sq;
    f.max_abs = fmax(f.max_abs, (double)max_abs);
    finish(f, &limits, scratch, result);
}

/* --- anything against unrounded values --- */

/* Two outputs, as they are loaded and as numbers. */
struct f64_pair {
    static constexpr bool SMALL = false;
    typedef double2 raw;
    static __device__ __forceinline__ double2 unpack(raw v)
    {
        return v;
    }
};

struct f32_pair {
    static constexpr bool SMALL = true;
    typedef float2 raw;
    static __device__ __forceinline__ double2 unpack(raw v)
    {
        return make_double2(v.x, v.y);
    }
};

struct f16_pair {
    static constexpr bool SMALL = true;
    typedef unsigned int raw;
    static __device__ __forceinline__ double2 unpack(raw v)
    {
        return make_double2(
            __half2float(__ushort_as_half((uint16_t)v)),
            __half2float(__ushort_as_half((uint16_t)(v >> 16))));
    }
};

struct bf16_pair {
    static constexpr bool SMALL = true;
    typedef unsigned int raw;
    static __device__ __forceinline__ double2 unpack(raw v)
    {
        return make_double2(__uint_as_float(v << 16),
                            __uint_as_float(v & 0xffff0000u));
    }
};

/* 1 / x of a normal number, but for the last places. */
static __device__ __forceinline__ double reciprocal(double x)
{
    double r;

    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    r = fma(r, fma(-x, r, 1.0), r);
    return fma(r, fma(-x, r, 1.0), r);
}

/* Between its bounds, quick arithmetic holds. */
static __device__ __forceinline__ bool is_usual(double x)
{
    return (unsigned int)__double2hiint(x) - 0x01800000u <
           0x7e700000u - 0x01800000u; /* [2^-999, 2^1000) */
}

/* Values looked at together: as struct look. */
struct glance {
    bool clear, quiet;
    unsigned int n_norm;
    double sum_sq, sum_norm_sq, sum_want_sq;
};

/* SMALL: the dtype's exponents are far from double's. */
template <bool SMALL, bool NORM>
static __device__ __forceinline__ void
glance_at(const struct osw_value_rule *r, double got, double want, double norm,
          const struct ratios *ratios, struct glance *seen)
{
    double size = fabs(want), err = fabs(__dadd_rn(got, -want));
    double near = __dadd_rn(r->atol, __dmul_rn(r->rtol, size));
    double ulp = __dmul_rn(err, per_place(size, r, SMALL));
    bool counts = NORM && norm > 0;

    norm = counts ? osw_value_amount(r, norm) : norm;
    ulp = SMALL ? ulp : __dmul_rn(ulp, r->fraction);
    if (NORM)
        near = __dadd_rn(near, __dmul_rn(r->ntol, counts ? norm : 0));
    seen->clear = seen->clear & (size < OSW_VALUE_HUGE) &
                  ((err <= near) | (ulp < 0.5)) & !is_strict(r, got, want);
    seen->quiet =
        seen->quiet & (err <= ratios->abs) & is_below(ratios, err, size, ulp);
    seen->sum_sq = fma(err, err, seen->sum_sq);
    if (NORM) {
        double inverse = counts ? reciprocal(norm) : 0;
        double error = err * inverse, value = want * inverse;

        seen->clear = seen->clear & (!counts | is_usual(norm));
        seen->quiet =
            seen->quiet & (!counts | (err <= __dmul_rd(ratios->norm, norm)));
        seen->n_norm += counts;
        seen->sum_norm_sq = fma(error, error, seen->sum_norm_sq);
        seen->sum_want_sq = fma(value, value, seen->sum_want_sq);
    }
}

static __device__ __forceinline__ void count(struct found *f,
                                             const struct glance *seen)
{
    f->n_norm += seen->n_norm;
    f->sum_sq += seen->sum_sq;
    f->sum_norm_sq += seen->sum_norm_sq;
    f->sum_want_sq += seen->sum_want_sq;
}

/* A value that is not clear, or that may raise a maximum. */
template <bool NORM>
static __device__ __noinline__ void
glance_at_odd(const struct osw_gpu_compare *job, double got, double want,
              double norm, bool clear, int64_t index, struct found *f,
              struct limits *l)
{
    double err = fabs(got - want);

    if (!clear) {
        mark(f, judge_value(&job->rule, got, want, norm, f, l), index);
        return;
    }
    raise(&l->abs, err);
    raise(&l->rel, osw_value_rel(err, want));
    raise(&l->ulp, osw_value_ulps(&job->rule, err, want));
    if (NORM && norm > 0)
        raise(&l->norm, err / osw_value_amount(&job->rule, norm));
}

/* One value of those that were not all clear, or not all quiet. */
template <bool SMALL, bool NORM>
static __device__ __forceinline__ void
glance_closer(const struct osw_gpu_compare *job, double got, double want,
              double norm, int64_t index, bool counted, struct found *f,
              struct limits *l)
{
    struct glance seen = {true, true, 0, 0, 0, 0};
    struct ratios ratios = ratios_of(l);

    glance_at<SMALL, NORM>(&job->rule, got, want, norm, &ratios, &seen);
    if (seen.clear && !counted)
        count(f, &seen);
    if (!(seen.clear & seen.quiet))
        glance_at_odd<NORM>(job, got, want, norm, seen.clear, index, f, l);
}

enum { UNROLL = 4 };

template <class P, bool NORM> struct pairs {
    typename P::raw got[UNROLL];
    double2 want[UNROLL], norm[NORM ? UNROLL : 1];

    /* At, at + step, ...; those that are not below n are equal zeros. */
    __device__ __forceinline__ void load(const struct osw_gpu_compare *job,
                                         int64_t at, int64_t n)
    {
#pragma unroll
        for (int i = 0; i < UNROLL; i++, at += n_threads()) {
            got[i] = {};
            want[i] = {};
            norm[NORM ? i : 0] = {};
            if (at < n) {
                got[i] = __ldcs((const typename P::raw *)job->got + at);
                want[i] = __ldcs((const double2 *)job->exact + at);
            }
            if (NORM && at < n)
                norm[i] = __ldcs((const double2 *)job->norm + at);
        }
    }
};

template <class P, bool NORM>
static __device__ __noinline__ void
pairs_closer(const struct osw_gpu_compare *job, int64_t at, int64_t n,
             bool counted, struct found *f, struct limits *l)
{
    struct pairs<P, NORM> v;

    v.load(job, at, n);
#pragma unroll
    for (int i = 0; i < UNROLL; i++, at += n_threads()) {
        double2 got = P::unpack(v.got[i]), want = v.want[i];
        double2 norm = v.norm[NORM ? i : 0];

        glance_closer<P::SMALL, NORM>(job, got.x, want.x, norm.x, 2 * at,
                                      counted, f, l);
        glance_closer<P::SMALL, NORM>(job, got.y, want.y, norm.y, 2 * at + 1,
                                      counted, f, l);
    }
}

/* As compare_views(): calls are outside of the inner loop. */
template <class P, bool NORM>
__global__ void __launch_bounds__(THREADS, 4)
    compare_exact(const __grid_constant__ struct osw_gpu_compare job,
                  struct scratch *scratch, struct osw_gpu_result *result)
{
    __shared__ struct limits limits;
    struct found f = found::none();
    struct glance all = {true, true, 0, 0, 0, 0};
    int64_t n = job.to / 2, lane = threadIdx.x % WARP;
    int64_t first = job.from / 2 + thread_id() - lane; /* of the warp */

    limits_start(&limits, scratch);
    while (first < n) {
        bool clear = true, odd = false;

        for (; first < n; first += UNROLL * n_threads()) {
            struct glance seen = {true, true, 0, 0, 0, 0};
            struct ratios ratios = ratios_of(&limits);
            struct pairs<P, NORM> v;

            v.load(&job, first + lane, n);
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                double2 got = P::unpack(v.got[i]), want = v.want[i];
                double2 norm = v.norm[NORM ? i : 0];

                glance_at<P::SMALL, NORM>(&job.rule, got.x, want.x, norm.x,
                                          &ratios, &seen);
                glance_at<P::SMALL, NORM>(&job.rule, got.y, want.y, norm.y,
                                          &ratios, &seen);
            }
            clear = seen.clear;
            if (clear) {
                all.n_norm += seen.n_norm;
                all.sum_sq += seen.sum_sq;
                all.sum_norm_sq += seen.sum_norm_sq;
                all.sum_want_sq += seen.sum_want_sq;
            }
            odd = !(clear & seen.quiet);
            if (__any_sync(~0u, odd))
                break;
        }
        if (odd)
            pairs_closer<P, NORM>(&job, first + lane, n, clear, &f, &limits);
        first += UNROLL * n_threads();
    }
    if (thread_id() == 0 && job.to % 2 != 0)
        judge_plain(&job, job.to - 1, &f, &limits);
    count(&f, &all);
    finish(f, &limits, scratch, result);
}

/* --- all others --- */

/* The elements of a group of which some differ. */
static __device__ __noinline__ void
judge_group(const struct osw_gpu_compare *job, int64_t group, struct found *f,
            struct limits *l)
{
    int n = 16 / job->bytes;

    for (int k = 0; k < n; k++)
        judge_plain(job, group * n + k, f, l);
}

/* Contiguous views of any dtype: only groups that differ are looked at, for
 * which a warp leaves the inner loop as in compare_views.
 */
__global__ void __launch_bounds__(THREADS, 4)
    compare_groups(const __grid_constant__ struct osw_gpu_compare job,
                   struct scratch *scratch, struct osw_gpu_result *result)
{
    __shared__ struct limits limits;
    struct found f = found::none();
    int per_group = 16 / job.bytes;
    int64_t last = job.to / per_group, step = n_threads();
    int64_t lane = threadIdx.x % WARP;
    int64_t first = job.from / per_group + thread_id() - lane; /* of the warp */
    int64_t rest = last * per_group + thread_id();

    limits_start(&limits, scratch);
    while (first < last) {
        bool odd[2] = {false, false};

        for (; first < last; first += 2 * step) {
            struct two_groups v = load_two(&job, first + lane, last);

            odd[0] = !is_same(v.a[0], v.b[0]);
            odd[1] = !is_same(v.a[1], v.b[1]);
            if (__any_sync(~0u, odd[0] | odd[1]))
                break;
        }
        if (odd[0])
            judge_group(&job, first + lane, &f, &limits);
        if (odd[1])
            judge_group(&job, first + lane + step, &f, &limits);
        first += 2 * step;
    }
    if (rest < job.to)
        judge_plain(&job, rest, &f, &limits);
    finish(f, &limits, scratch, result);
}

/* Any layout, element by element. */
__global__ void __launch_bounds__(THREADS)
    compare_walk(const __grid_constant__ struct osw_gpu_compare job,
                 struct scratch *scratch, struct osw_gpu_result *result)
{
    __shared__ struct limits limits;
    struct found f = found::none();

    limits_start(&limits, scratch);
    for (int64_t k = job.from + thread_id(); k < job.to; k += n_threads()) {
        const char *got = (const char *)job.got, *want = (const char *)job.want;
        struct place at = locate(&job.walk, k);

        judge_element(&job, got + at.offset * job.bytes,
                      want ? want + at.other * job.bytes : NULL, at.index, &f,
                      &limits);
    }
    finish(f, &limits, scratch, result);
}

/* --- choosing --- */

typedef void (*compare_f)(const struct osw_gpu_compare job,
                          struct scratch *scratch,
                          struct osw_gpu_result *result);

/* clang-format off */
static const struct {
    int code, bits;
    compare_f views, exact, norms;
} floats[] = {
    {OSW_FLOAT,  64, compare_exact<f64_pair, false>,
     compare_exact<f64_pair, false>,  compare_exact<f64_pair, true>},
    {OSW_FLOAT,  32, compare_views<f32_values>,
     compare_exact<f32_pair, false>,  compare_exact<f32_pair, true>},
    {OSW_FLOAT,  16, compare_views<f16_values>,
     compare_exact<f16_pair, false>,  compare_exact<f16_pair, true>},
    {OSW_BFLOAT, 16, compare_views<bf16_values>,
     compare_exact<bf16_pair, false>, compare_exact<bf16_pair, true>},
};
/* clang-format on */

static bool aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

static compare_f kernel_for(const struct osw_gpu_compare *job)
{
    if (!job->plain || !aligned(job->got) || !aligned(job->want) ||
        !aligned(job->exact) || !aligned(job->norm))
        return compare_walk;
    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
        if (floats[i].code == job->dl.code && floats[i].bits == job->dl.bits)
            return job->want   ? floats[i].views
                   : job->norm ? floats[i].norms
                               : floats[i].exact;
    return job->want ? compare_groups : compare_walk;
}

extern "C" int osw_gpu_compare(const struct osw_gpu_place *place,
                               const struct osw_gpu_compare *job)
{
    struct osw_gpu_compare mine = *job;
    int64_t n = job->to - job->from;

    if (job->want && job->dl.code == OSW_FLOAT && job->dl.bits == 64)
        mine.exact = (const double *)job->want; /* as good, where contiguous */
    kernel_for(job)<<<blocks_for(place, (n + 7) / 8), THREADS, 0,
                      (cudaStream_t)place->stream>>>(
        mine, (struct scratch *)place->scratch, place->result);
    return (int)cudaGetLastError();
}

/* --- means --- */

struct finite {
    double sum;
    unsigned long long count;

    static __device__ struct finite none()
    {
        return {0, 0};
    }
    static __device__ struct finite merge(struct finite a, struct finite b)
    {
        return {a.sum + b.sum, a.count + b.count};
    }
};

__global__ void __launch_bounds__(THREADS)
    sum_finite(const __grid_constant__ struct osw_gpu_compare job,
               struct scratch *scratch, struct osw_gpu_result *result)
{
    struct finite all, mine = {0, 0};

    for (int64_t k = job.from + thread_id(); k < job.to; k += n_threads()) {
        const char *want = (const char *)job.want;
        double value;

        if (want)
            value = load_value(job.part_dl,
                               want + locate(&job.walk, k).offset * job.bytes);
        else
            value = __ldcs(job.exact + k);
        if (isfinite(value)) {
            mine.sum += value;
            mine.count++;
        }
    }
    if (merge_grid(mine, scratch, &all)) {
        result->sum = all.sum;
        result->count = all.count;
    }
}

extern "C" int osw_gpu_sum(const struct osw_gpu_place *place,
                           const struct osw_gpu_compare *job)
{
    sum_finite<<<blocks_for(place, job->to - job->from), THREADS, 0,
                 (cudaStream_t)place->stream>>>(
        *job, (struct scratch *)place->scratch, place->result);
    return (int)cudaGetLastError();
}
