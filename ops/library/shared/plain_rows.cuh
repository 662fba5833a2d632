/* shared/plain_rows.cuh - rows and sums as a user writes them first
 *
 * A block shares a row, and adds up through shared memory.  Where there are
 * enough rows to fill the device, and a row is short or its neighbours in
 * memory belong to other rows, a thread has a row of its own.  Sums of floats
 * are in double, those of integers in 64 bits.
 */
#ifndef OSW_LIBRARY_PLAIN_ROWS_CUH
#define OSW_LIBRARY_PLAIN_ROWS_CUH

#include "layer_norm.h"
#include "plain_elements.cuh"
#include "reduce.h"

/* --- elements of one dtype, or of any, asked for at each --- */

/* In place of the type of elements: any, computed in type A. */
template <class A> struct osw_plain_mixed {
};

template <class A> struct osw_plain_math<osw_plain_mixed<A>> {
    typedef A type;
};

template <class E> struct osw_plain_is_mixed {
    enum { value = 0 };
};

template <class A> struct osw_plain_is_mixed<osw_plain_mixed<A>> {
    enum { value = 1 };
};

/* Element `at` from `data` on. */
template <class E>
__device__ typename osw_plain_math<E>::type
osw_plain_get(const char *data, osw_dtype t, int64_t at)
{
    typedef typename osw_plain_math<E>::type A;

    if constexpr (!osw_plain_is_mixed<E>::value)
        return osw_plain_load<A>((const E *)data + at);
    else if constexpr (std::is_same<A, int64_t>::value)
        return osw_load_int(t, data + at * (t.bits / 8));
    else
        return (A)osw_load(t, data + at * (t.bits / 8));
}

template <class E, class V>
__device__ void osw_plain_put(char *data, osw_dtype t, int64_t at, V v)
{
    if constexpr (osw_plain_is_mixed<E>::value)
        osw_store(t, data + at * (t.bits / 8), (double)v);
    else
        osw_plain_store((E *)data + at, v);
}

/* Calls f with the type of elements of all of `t`, which are floats; those that
 * are NULL do not count.
 */
template <class F>
static int osw_plain_by_floats(const osw_tensor *const *t, int n, F f)
{
    int same = 1, is_double = 0;

    for (int k = 0; k < n; k++) {
        if (!t[k])
            continue;
        same &= osw_rule_same(t[k]->dtype, t[0]->dtype);
        is_double |= t[k]->dtype.bits == 64;
    }
    if (same)
        return osw_plain_by_float(t[0]->dtype, f);
    return is_double ? f(osw_plain_mixed<double>())
                     : f(osw_plain_mixed<float>());
}

/* --- threads that share a row --- */

/* The threads of a block; all of them call fold() and scan(). */
struct osw_plain_block {
    enum { threads_per_row = OSW_PLAIN_THREADS };

    static __device__ int64_t first_row()
    {
        return blockIdx.x;
    }
    static __device__ int64_t row_step()
    {
        return gridDim.x;
    }
    static __device__ int64_t lane()
    {
        return threadIdx.x;
    }
    static __device__ int64_t lanes()
    {
        return blockDim.x;
    }

    /* f of all threads' values, in a fixed order; blockDim.x is a power of 2 */
    template <class T, class F> static __device__ T fold(T v, F f)
    {
        __shared__ T part[OSW_PLAIN_THREADS];

        part[threadIdx.x] = v;
        __syncthreads();
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half)
                part[threadIdx.x] =
                    f(part[threadIdx.x], part[threadIdx.x + half]);
            __syncthreads();
        }
        v = part[0];
        __syncthreads();
        return v;
    }

    /* The sum of the values up to this thread's; *total: of all */
    template <class T> static __device__ T scan(T v, T *total)
    {
        __shared__ T part[OSW_PLAIN_THREADS];

        part[threadIdx.x] = v;
        __syncthreads();
        for (unsigned by = 1; by < blockDim.x; by *= 2) {
            T left = threadIdx.x >= by ? part[threadIdx.x - by] : T(0);

            __syncthreads();
            part[threadIdx.x] += left;
            __syncthreads();
        }
        v = part[threadIdx.x];
        *total = part[blockDim.x - 1];
        __syncthreads();
        return v;
    }
};

/* A thread alone. */
struct osw_plain_thread {
    enum { threads_per_row = 1 };

    static __device__ int64_t first_row()
    {
        return osw_plain_first<int64_t>();
    }
    static __device__ int64_t row_step()
    {
        return osw_plain_step<int64_t>();
    }
    static __device__ int64_t lane()
    {
        return 0;
    }
    static __device__ int64_t lanes()
    {
        return 1;
    }
    template <class T, class F> static __device__ T fold(T v, F)
    {
        return v;
    }
    template <class T> static __device__ T scan(T v, T *total)
    {
        *total = v;
        return v;
    }
};

template <class Team, class T> __device__ T osw_plain_sum(T v)
{
    return Team::fold(v, [](T a, T b) { return a + b; });
}

template <class Team, class T> __device__ T osw_plain_max(T v)
{
    return Team::fold(v, [](T a, T b) { return b > a ? b : a; });
}

/* Calls f with the group of threads that shares a row of n elements.  apart: the
 * next element in memory is one of another row.
 */
template <class F>
static int osw_plain_by_team(int64_t n_rows, int64_t n, int apart, F f)
{
    if (n_rows >= (int64_t)osw_sm_count() * 128 && (apart || n <= 32))
        return f(osw_plain_thread());
    return f(osw_plain_block());
}

template <class Team, class... P, class... A>
static int osw_plain_launch_rows(const osw_call *call, Team,
                                 void (*kernel)(P...), int64_t n_rows,
                                 const A &...args)
{
    int64_t threads = Team::threads_per_row;

    if (n_rows == 0)
        return 0;
    return osw_launch(call, kernel,
                      osw_grid(n_rows, OSW_PLAIN_THREADS / threads),
                      OSW_PLAIN_THREADS, 0, args...);
}

/* --- the same to every row --- */

/* Elements of a row. */
struct osw_plain_row {
    char *data;
    osw_dtype dtype;
    int64_t step;
};

template <class E>
__device__ typename osw_plain_math<E>::type
osw_plain_get(const osw_plain_row &r, int64_t i)
{
    return osw_plain_get<E>(r.data, r.dtype, i * r.step);
}

template <class E, class V>
__device__ void osw_plain_put(const osw_plain_row &r, int64_t i, V v)
{
    osw_plain_put<E>(r.data, r.dtype, i * r.step, v);
}

static __device__ osw_plain_row osw_plain_row_at(const osw_row_view &v,
                                                 int64_t row)
{
    return {osw_strided_at(&v.outer, osw_strided_offset(&v.outer, row)),
            v.outer.dtype, v.stride};
}

/* out [n_rows, n] from x and g of the same shape. */
struct osw_plain_rows_job {
    osw_row_view x, g, out;
};

/* F has template <class Team, class E> static __device__ void row(x, g, out, n)
 */
template <class F, class Team, class E>
__global__ void
osw_plain_rows_kernel(const __grid_constant__ osw_plain_rows_job job)
{
    for (int64_t row = Team::first_row(); row < job.x.n_rows;
         row += Team::row_step())
        F::template row<Team, E>(osw_plain_row_at(job.x, row),
                                 osw_plain_row_at(job.g, row),
                                 osw_plain_row_at(job.out, row), job.x.n);
}

/* e: an element of the type of all three tensors. */
template <class F, class E>
static int osw_plain_rows(const osw_call *call, const struct osw_rows *x,
                          const struct osw_rows *g, const struct osw_rows *out,
                          E)
{
    osw_plain_rows_job job;

    if (osw_row_view_of(&job.x, x) || osw_row_view_of(&job.g, g) ||
        osw_row_view_of(&job.out, out))
        return OSW_UNSUPPORTED;
    if (x->n == 0)
        return 0;
    return osw_plain_by_team(x->n_rows, x->n, x->stride != 1, [&](auto team) {
        return osw_plain_launch_rows(
            call, team, osw_plain_rows_kernel<F, decltype(team), E>, x->n_rows,
            job);
    });
}

/* What a softmax or its backward does. */
template <class F>
static int osw_plain_float_rows(const osw_call *call, const struct osw_rows *x,
                                const struct osw_rows *g,
                                const struct osw_rows *out)
{
    const osw_tensor *t[] = {x->tensor, g->tensor, out->tensor};

    return osw_plain_by_floats(
        t, 3, [&](auto e) { return osw_plain_rows<F>(call, x, g, out, e); });
}

/* --- rows of layer norms --- */

/* Weight or bias [n]; data NULL: a constant. */
static inline int osw_plain_norm_vector(struct osw_strided *s,
                                        const osw_tensor *t)
{
    s->data = NULL;
    return t ? osw_strided_of(s, t) : 0;
}

template <class E>
__device__ typename osw_plain_math<E>::type
osw_plain_norm_factor(const osw_strided &s, int64_t i, int constant)
{
    return s.data ? osw_plain_get<E>(s.data, s.dtype, osw_strided_offset(&s, i))
                  : (typename osw_plain_math<E>::type)constant;
}

/* Rows of t, as many as those of the input: 0, or OSW_UNSUPPORTED. */
static inline int osw_plain_norm_rows(struct osw_row_view *v,
                                      const struct osw_layer_norm *l,
                                      const osw_tensor *t)
{
    v->n_rows = l->n_rows;
    v->n = l->n;
    v->stride = osw_layer_norm_stride(l, t);
    if (v->stride < 0)
        return OSW_UNSUPPORTED;
    return osw_strided_part(&v->outer, t, 0, l->n_outer, -1);
}

/* --- sums over some dimensions --- */

struct osw_plain_sums_job {
    osw_strided kept, outer; /* outer: summed, but for the last dimension */
    int64_t n_kept, n_outer;
    int64_t n, step; /* of the last summed dimension */
    char *out;       /* contiguous */
    osw_dtype out_dtype;
    double divisor;
};

/* The k-th output from its sum: an i64 as it is, a float divided. */
template <class S>
__device__ void osw_plain_put_sum(const osw_plain_sums_job &job, int64_t k,
                                  S sum)
{
    char *to = job.out + k * (job.out_dtype.bits / 8);

    if constexpr (std::is_same<S, double>::value)
        osw_store(job.out_dtype, to, sum / job.divisor);
    else if (job.out_dtype.code == OSW_INT)
        *(int64_t *)to = (int64_t)sum;
    else
        osw_store(job.out_dtype, to, (double)(int64_t)sum / job.divisor);
}

template <class Team, class E>
__global__ void
osw_plain_sums_kernel(const __grid_constant__ osw_plain_sums_job job)
{
    typedef typename osw_plain_math<E>::type A;
    typedef std::conditional_t<std::is_same<A, int64_t>::value, uint64_t,
                               double>
        S;

    for (int64_t k = Team::first_row(); k < job.n_kept; k += Team::row_step()) {
        const E *x =
            (const E *)job.kept.data + osw_strided_offset(&job.kept, k);
        S sum = 0;

        for (int64_t o = 0; o < job.n_outer; o++) {
            const E *p = x + osw_strided_offset(&job.outer, o);

            for (int64_t i = Team::lane(); i < job.n; i += Team::lanes())
                sum += (S)osw_plain_load<A>(p + i * job.step);
        }
        sum = osw_plain_sum<Team>(sum);
        if (Team::lane() == 0)
            osw_plain_put_sum(job, k, sum);
    }
}

static inline int osw_plain_push_dims(struct osw_strided *s,
                                      const struct osw_reduce_dims *d)
{
    int ok = 1;

    s->ndim = 0;
    for (int32_t i = 0; i < d->n; i++)
        ok &= osw_strided_push(s, d->shape[i], d->strides[i]);
    return ok;
}

/* 0, or OSW_UNSUPPORTED. */
static inline int osw_plain_sums_of(struct osw_plain_sums_job *job,
                                    const struct osw_reduce *r, double divisor)
{
    struct osw_strided *summed = &job->outer;

    if (!osw_plain_push_dims(&job->kept, &r->kept) ||
        !osw_plain_push_dims(summed, &r->summed))
        return OSW_UNSUPPORTED;
    job->kept.data = (char *)osw_data(r->x);
    job->n_kept = r->kept.numel;
    job->n = 1;
    job->step = 0;
    if (summed->ndim) {
        job->n = summed->shape[--summed->ndim];
        job->step = summed->strides[summed->ndim];
    }
    job->n_outer = job->n ? r->summed.numel / job->n : 0;
    job->out = (char *)osw_data(r->out);
    job->out_dtype = r->out->dtype;
    job->divisor = divisor;
    return 0;
}

static inline int osw_plain_sums(const osw_call *call,
                                 const struct osw_reduce *r, double divisor)
{
    struct osw_plain_sums_job job = {};

    if (!osw_reduce_is_float(r->out->dtype) &&
        (osw_reduce_is_float(r->x->dtype) || !osw_is(r->out, OSW_INT, 64)))
        return OSW_UNSUPPORTED;
    if (osw_plain_sums_of(&job, r, divisor))
        return OSW_UNSUPPORTED;
    return osw_plain_by_dtype(r->x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(
            job.n_kept, r->summed.numel, osw_reduce_by_columns(r),
            [&](auto team) {
                return osw_plain_launch_rows(
                    call, team, osw_plain_sums_kernel<decltype(team), E>,
                    job.n_kept, job);
            });
    });
}

#endif /* OSW_LIBRARY_PLAIN_ROWS_CUH */
