/* worker/judge/compare/compare_views_cuda.cuh - a view against a view, in float
 *
 * Differences of f32, f16 and bf16 that are good for certain are exact in
 * float.
 */
#ifndef OSW_WORKER_JUDGE_COMPARE_VIEWS_CUDA_CUH
#define OSW_WORKER_JUDGE_COMPARE_VIEWS_CUDA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "worker/judge/compare/compare_element_cuda.cuh"

/* --- numbers, out of 16 bytes or a pair --- */

/* MIN_NORMAL: bits, in float, of the smallest number whose last place is still
 * its exponent's; 0 where that is float's own.  SMALL: exponents are far from
 * double's.
 */
struct f64_values {
    static constexpr bool SMALL = false;
    typedef double2 pair;
    static __device__ __forceinline__ double2 unpack(pair v)
    {
        return v;
    }
    static __device__ __forceinline__ double at(const void *p, int64_t i)
    {
        return ((const double *)p)[i];
    }
};

struct f32_values {
    enum { N = 4, MIN_NORMAL = 0 };
    static constexpr bool SMALL = true;
    typedef float2 pair;
    static __device__ __forceinline__ void unpack(uint4 v, float *to)
    {
        to[0] = __uint_as_float(v.x);
        to[1] = __uint_as_float(v.y);
        to[2] = __uint_as_float(v.z);
        to[3] = __uint_as_float(v.w);
    }
    static __device__ __forceinline__ double2 unpack(pair v)
    {
        return make_double2(v.x, v.y);
    }
    static __device__ __forceinline__ double at(const void *p, int64_t i)
    {
        return ((const float *)p)[i];
    }
};

/* H: the lower and the upper one of a word. */
template <class H> struct half_values : H {
    enum { N = 8 };
    static constexpr bool SMALL = true;
    typedef unsigned int pair;
    static __device__ __forceinline__ void unpack(uint4 v, float *to)
    {
        const uint32_t w[4] = {v.x, v.y, v.z, v.w};

        for (int i = 0; i < 4; i++) {
            to[2 * i] = H::lower(w[i]);
            to[2 * i + 1] = H::upper(w[i]);
        }
    }
    static __device__ __forceinline__ double2 unpack(pair v)
    {
        return make_double2(H::lower(v), H::upper(v));
    }
    static __device__ __forceinline__ double at(const void *p, int64_t i)
    {
        return H::lower(((const uint16_t *)p)[i]);
    }
};

struct f16_halves {
    enum { MIN_NORMAL = 0x38800000 };
    static __device__ __forceinline__ float lower(uint32_t w)
    {
        return __half2float(__ushort_as_half((uint16_t)w));
    }
    static __device__ __forceinline__ float upper(uint32_t w)
    {
        return __half2float(__ushort_as_half((uint16_t)(w >> 16)));
    }
};

struct bf16_halves {
    enum { MIN_NORMAL = 0 };
    static __device__ __forceinline__ float lower(uint32_t w)
    {
        return __uint_as_float(w << 16);
    }
    static __device__ __forceinline__ float upper(uint32_t w)
    {
        return __uint_as_float(w & 0xffff0000u);
    }
};

typedef struct half_values<struct f16_halves> f16_values;
typedef struct half_values<struct bf16_halves> bf16_values;

/* The element of an index, where there is no group or pair of it: as
 * judge_element(), whose code for all dtypes would be half of the kernel.
 */
template <class P>
static __device__ __forceinline__ void
judge_rest(const struct osw_gpu_compare *job, double want, double norm,
           int64_t index, struct found *f, struct limits *l)
{
    double got = P::at(job->got, index);

    if (got != want || norm > 0 || is_strict(&job->rule, got, want))
        judge_odd(job, got, want, norm, false, index, f, l);
}

/* --- a view against a view --- */

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
            judge_odd(job, got[k], want[k], 0, clear, group * V::N + k, f, l);
    }
    f->sum_sq += sum_sq;
    f->max_abs = fmax(f->max_abs, max_abs);
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
        judge_rest<V>(&job, V::at(job.want, rest), 0, rest, &f, &limits);
    f.sum_sq += sum_sq;
    f.max_abs = fmax(f.max_abs, (double)max_abs);
    finish(f, &limits, scratch, result);
}

#endif /* OSW_WORKER_JUDGE_COMPARE_VIEWS_CUDA_CUH */
