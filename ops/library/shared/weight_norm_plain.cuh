/* shared/weight_norm_plain.cuh - weight_norm_plain.h on a GPU: a block or a
 * thread to each slice
 */
#ifndef OSW_LIBRARY_WEIGHT_NORM_PLAIN_CUH
#define OSW_LIBRARY_WEIGHT_NORM_PLAIN_CUH

#include "plain_rows.cuh"
#include "weight_norm.h"

/* A tensor's slices: where each begins, and what it has. */
struct osw_weight_norm_view {
    osw_strided inner; /* of a slice, outer dimensions too */
    int64_t step;      /* from one slice to the next */
};

struct osw_weight_norm_job {
    osw_weight_norm_view v, grad, w;
    osw_strided g, norms; /* norms.data NULL: forward */
    int64_t n, size;
    char *out; /* [n] */
    osw_dtype out_dtype;
};

static inline int osw_weight_norm_view_of(osw_weight_norm_view *view,
                                          const osw_tensor *t, int32_t dim)
{
    int ok = 1;

    view->inner.ndim = 0;
    view->inner.data = (char *)osw_data(t);
    view->inner.dtype = t->dtype;
    for (int32_t d = 0; d < t->ndim; d++)
        if (d != dim)
            ok &= osw_strided_push(&view->inner, t->shape[d], t->strides[d]);
    view->step = t->strides[dim];
    return ok ? 0 : OSW_UNSUPPORTED;
}

template <class E>
static __device__ E *osw_weight_norm_at(const osw_weight_norm_view &view,
                                        int64_t k, int64_t i)
{
    return (E *)view.inner.data + k * view.step +
           osw_strided_offset(&view.inner, i);
}

template <class Team, class E>
static __global__ void
osw_weight_norm_kernel(const __grid_constant__ osw_weight_norm_job job)
{
    typedef typename osw_plain_math<E>::type A;
    const osw_weight_norm_view &x = job.norms.data ? job.grad : job.v;

    for (int64_t k = Team::first_row(); k < job.n; k += Team::row_step()) {
        double sum = 0, norm, a, b = 0;

        for (int64_t i = Team::lane(); i < job.size; i += Team::lanes())
            sum += osw_plain_load<double>(osw_weight_norm_at<E>(job.v, k, i)) *
                   osw_plain_load<double>(osw_weight_norm_at<E>(x, k, i));
        sum = osw_plain_sum<Team>(sum);
        norm = job.norms.data ? osw_strided_get(&job.norms, k) : sqrt(sum);
        a = osw_strided_get(&job.g, k) / norm;
        if (job.norms.data)
            b = -a * sum / (norm * norm);
        if (Team::lane() == 0)
            osw_store(job.out_dtype, job.out + k * (job.out_dtype.bits / 8),
                      job.norms.data ? sum / norm : norm);
        for (int64_t i = Team::lane(); i < job.size; i += Team::lanes())
            osw_plain_store(
                osw_weight_norm_at<E>(job.w, k, i),
                (A)(a * osw_plain_load<double>(osw_weight_norm_at<E>(x, k, i)) +
                    b * osw_plain_load<double>(
                            osw_weight_norm_at<E>(job.v, k, i))));
    }
}

/* rc: what opening the arguments returned. */
static inline int osw_weight_norm_plain(const osw_call *call,
                                        const osw_weight_norm &n, int rc)
{
    osw_weight_norm_job job = {};

    if (rc)
        return rc;
    if (osw_weight_norm_view_of(&job.v, n.v.tensor, n.v.dim) ||
        osw_weight_norm_view_of(&job.w, n.w, n.v.dim) ||
        osw_strided_of(&job.g, n.g) ||
        (n.norms &&
         (osw_strided_of(&job.norms, n.norms) ||
          osw_weight_norm_view_of(&job.grad, n.grad.tensor, n.v.dim))) ||
        (n.norms && !osw_rule_same(n.grad.tensor->dtype, n.v.tensor->dtype)))
        return OSW_UNSUPPORTED;
    job.n = n.v.n;
    job.size = osw_weight_norm_size(&n);
    job.out = (char *)osw_data(n.out);
    job.out_dtype = n.out->dtype;
    return osw_plain_by_float(n.v.tensor->dtype, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_team(job.n, job.size, 0, [&](auto team) {
            return osw_plain_launch_rows(
                call, team, osw_weight_norm_kernel<decltype(team), E>, job.n,
                job);
        });
    });
}

#endif /* OSW_LIBRARY_WEIGHT_NORM_PLAIN_CUH */
