/* ops/library/plain_rows.cuh - rows, sums and indices as a user writes them
 * first
 *
 * A block shares a row, and adds up through shared memory.  Where there are
 * enough rows to fill the device, and a row is short or its neighbours in
 * memory belong to other rows, a thread has a row of its own.  Sums of floats
 * are in double, those of integers in 64 bits.
 *
 * An index that is out of range traps: nothing can be reported from a kernel.
 */
#ifndef OSW_LIBRARY_PLAIN_ROWS_CUH
#define OSW_LIBRARY_PLAIN_ROWS_CUH

#include "layer_norm.h"
#include "picking.h"
#include "plain_copy.cuh"
#include "reduce.h"

/* The dtype that elements of dtype t are computed in. */
static inline osw_dtype osw_plain_arithmetic(osw_dtype t)
{
    if (osw_rule_category(t) < 2)
        return osw_rule_dtype(OSW_INT, 64);
    return osw_rule_dtype(OSW_FLOAT, t.bits == 64 ? 64 : 32);
}

/* --- elements of one dtype, or of one that is asked for at every element ---
 */

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

/* --- who shares a row --- */

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

/* Calls f with who shares a row of n elements.  apart: the next element in
 * memory is one of another row.
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

/* --- slices picked by an index --- */

/* Entry `at` of an index into [0, n), of i64 or i32. */
static __device__ inline int64_t osw_plain_index(const void *index, int bits,
                                                 int64_t at, int64_t n)
{
    int64_t k = bits == 64 ? ((const int64_t *)index)[at]
                           : (int64_t)((const int32_t *)index)[at];

    if (k < 0 || k >= n)
        __trap();
    return k;
}

/* A tensor of which slices are picked, or to which they are added. */
struct osw_plain_picked {
    char *data;
    int64_t n, stride; /* slices, and elements from one to the next */
    const void *index;
    int index_bits;
};

/* Along dimension dim of t, where it has one. */
static inline struct osw_plain_picked
osw_plain_picked_of(const osw_tensor *t, int32_t dim, const osw_tensor *index)
{
    return {(char *)osw_data(t), t->ndim ? t->shape[dim] : 1,
            t->ndim ? t->strides[dim] : 0, osw_data(index), index->dtype.bits};
}

static __device__ inline int64_t osw_plain_slice(const osw_plain_picked &p,
                                                 int64_t at)
{
    return osw_plain_index(p.index, p.index_bits, at, p.n) * p.stride;
}

/* A dimension inside of those there are; a step for each tensor. */
static inline void osw_plain_axes_add(struct osw_plain_axes *a, int64_t size,
                                      int64_t first, int64_t second,
                                      int64_t third)
{
    int64_t step[OSW_PLAIN_TENSORS] = {first, second, third};

    if (size != 1)
        osw_plain_axes_push(a, size, step);
}

struct osw_plain_pick_job {
    struct osw_plain_axes axes; /* of the output, of slice 0, of the index */
    int64_t total;
    char *to;
    struct osw_plain_picked from;
};

template <class T, class I>
__global__ void
osw_plain_pick_kernel(const __grid_constant__ osw_plain_pick_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        ((T *)job.to)[at[0]] =
            ((const T *)
                 job.from.data)[at[1] + osw_plain_slice(job.from, at[2])];
    }
}

/* The axes are the caller's. */
static inline int osw_plain_pick(const osw_call *call,
                                 struct osw_plain_pick_job *job,
                                 const osw_tensor *out)
{
    if (job->axes.n == 0)
        job->axes.size[job->axes.n++] = 1;
    job->total = osw_numel(out);
    job->to = (char *)osw_data(out);
    return osw_plain_by_size(out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job->total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_pick_kernel<T, decltype(i)>,
                                    job->total, *job);
        });
    });
}

/* --- slices added where an index points to --- */

/* Where slices are added up: the output itself where it is of the type of the
 * arithmetic, else a tensor of that type in the workspace.
 */
struct osw_plain_total {
    struct osw_view view;
    const osw_tensor *out;
    int is_out;
};

static inline int osw_plain_total_open(const osw_call *call,
                                       struct osw_plain_total *t,
                                       const osw_tensor *out)
{
    if (!osw_view_of(&t->view, out) || osw_view_overlaps(out))
        return OSW_UNSUPPORTED;
    t->out = out;
    t->is_out = osw_rule_same(out->dtype, osw_plain_arithmetic(out->dtype));
    if (t->is_out)
        return 0;
    osw_view_as(&t->view, out, out->ndim, out->shape);
    t->view.t.dtype = osw_plain_arithmetic(out->dtype);
    t->view.t.byte_offset = 0;
    t->view.t.data = osw_workspace(call, (size_t)osw_numel(out) * 8 + 8);
    return t->view.t.data ? 0 : OSW_ERROR;
}

static inline int osw_plain_total_close(const osw_call *call,
                                        const struct osw_plain_total *t)
{
    return t->is_out ? 0 : osw_plain_copy(call, t->out, &t->view.t);
}

struct osw_plain_add_job {
    struct osw_plain_axes axes; /* of the source, of slice 0, of the index */
    int64_t total;
    const char *source;
    struct osw_plain_picked to;
    double alpha;
};

/* *to += a * b; integers wrap around. */
static __device__ inline void osw_plain_add_to(float *to, float a, float b)
{
    atomicAdd(to, a * b);
}

static __device__ inline void osw_plain_add_to(double *to, double a, double b)
{
    atomicAdd(to, a * b);
}

static __device__ inline void osw_plain_add_to(int64_t *to, int64_t a,
                                               int64_t b)
{
    atomicAdd((unsigned long long *)to,
              (unsigned long long)a * (unsigned long long)b);
}

/* The order in which terms of an element are added is not fixed, as in torch.
 */
template <class E, class I>
__global__ void
osw_plain_add_kernel(const __grid_constant__ osw_plain_add_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[3];

        osw_plain_at<3>(job.axes, i, at);
        osw_plain_add_to(
            (A *)job.to.data + at[1] + osw_plain_slice(job.to, at[2]),
            (A)job.alpha, osw_plain_load<A>((const E *)job.source + at[0]));
    }
}

/* Slice i of the source, times alpha, is added to slice index[i] of the total;
 * both are cut at dimension source->dim.
 */
static inline int osw_plain_add_slices(const osw_call *call,
                                       const struct osw_plain_total *t,
                                       const struct osw_slices *source,
                                       const osw_tensor *index, double alpha)
{
    const osw_tensor *x = source->tensor;
    struct osw_plain_add_job job = {};

    if (x->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < x->ndim; d++) {
        int across = d == source->dim;

        osw_plain_axes_add(&job.axes, x->shape[d], x->strides[d],
                           across ? 0 : t->view.strides[d],
                           across && index->ndim ? index->strides[0] : 0);
    }
    if (job.axes.n == 0)
        job.axes.size[job.axes.n++] = 1;
    job.total = osw_numel(x);
    job.source = (const char *)osw_data(x);
    job.to = osw_plain_picked_of(&t->view.t, source->dim, index);
    job.alpha = alpha;
    return osw_plain_by_dtype(x->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_add_kernel<E, decltype(i)>,
                                    job.total, job);
        });
    });
}

#endif /* OSW_LIBRARY_PLAIN_ROWS_CUH */
