/* worker/judge/compare/compare_cuda.cu - outputs against what they should be,
 * on a GPU
 *
 * Contiguous floats have kernels that read 16 bytes at a time and look at
 * values quickly; what is odd is judged by compare_value.h, as on the host.
 */
#include <cuda_runtime.h>

#include "worker/judge/compare/compare_views_cuda.cuh"

/* --- anything against unrounded values --- */

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

/* `to`: a finding, or a glance. */
template <class T>
static __device__ __forceinline__ void count(T *to, const struct glance *seen)
{
    to->n_norm += seen->n_norm;
    to->sum_sq += seen->sum_sq;
    to->sum_norm_sq += seen->sum_norm_sq;
    to->sum_want_sq += seen->sum_want_sq;
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
        judge_odd(job, got, want, norm, seen.clear, index, f, l);
}

enum { UNROLL = 4 };

template <class P, bool NORM> struct pairs {
    typename P::pair got[UNROLL];
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
                got[i] = __ldcs((const typename P::pair *)job->got + at);
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

/* As compare_views: calls are outside of the inner loop. */
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
            if (clear)
                count(&all, &seen);
            odd = !(clear & seen.quiet);
            if (__any_sync(~0u, odd))
                break;
        }
        if (odd)
            pairs_closer<P, NORM>(&job, first + lane, n, clear, &f, &limits);
        first += UNROLL * n_threads();
    }
    if (thread_id() == 0 && job.to % 2 != 0)
        judge_rest<P>(&job, job.exact[job.to - 1],
                      NORM ? job.norm[job.to - 1] : 0, job.to - 1, &f, &limits);
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
    {OSW_FLOAT,  64, compare_exact<f64_values, false>,
     compare_exact<f64_values, false>,  compare_exact<f64_values, true>},
    {OSW_FLOAT,  32, compare_views<f32_values>,
     compare_exact<f32_values, false>,  compare_exact<f32_values, true>},
    {OSW_FLOAT,  16, compare_views<f16_values>,
     compare_exact<f16_values, false>,  compare_exact<f16_values, true>},
    {OSW_BFLOAT, 16, compare_views<bf16_values>,
     compare_exact<bf16_values, false>, compare_exact<bf16_values, true>},
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
