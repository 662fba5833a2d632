/* ops/library/embedding_dense_backward/embedding_dense_backward_plain.cu -
 * entries that point to one row are linked, each to the one before it; then a
 * thread adds up an element of a row along its links, so that the order is
 * fixed
 */
#include "../shared/picking.cuh"
#include "../shared/plain_copy.cuh"
#include "../shared/plain_rows.cuh"
#include "embedding_dense_backward.h"

struct back_job {
    osw_strided index;
    osw_row_view grad;
    int64_t n_weights, padding, total;
    int scale;
    int64_t *previous; /* of each entry; -1: none */
    int64_t *last;     /* entry of each row; -1: none */
    char *to;
};

static __global__ void link_entries(const __grid_constant__ back_job job)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < job.grad.n_rows;
         i += osw_plain_step<int64_t>()) {
        int64_t k = osw_pick_at(&job.index, i, job.n_weights), j = i - 1;

        while (j >= 0 && osw_pick_at(&job.index, j, job.n_weights) != k)
            j--;
        job.previous[i] = j;
        atomicMax((long long *)&job.last[k], (long long)i);
    }
}

template <class E, class I>
static __global__ void add_rows(const __grid_constant__ back_job job)
{
    typedef typename osw_plain_math<E>::type A;

    for (I o = osw_plain_first<I>(); o < (I)job.total;
         o += osw_plain_step<I>()) {
        int64_t k = o / (I)job.grad.n, col = o % (I)job.grad.n, n = 0;
        A sum = 0;

        for (int64_t i = k == job.padding ? -1 : job.last[k]; i >= 0;
             i = job.previous[i]) {
            osw_plain_row grad = osw_plain_row_at(job.grad, i);

            sum += osw_plain_get<E>(grad, col);
            n++;
        }
        if (job.scale && n)
            sum /= (A)n;
        osw_plain_store((E *)job.to + o, sum);
    }
}

static int add(const osw_call *call, const back_job &job, osw_dtype t)
{
    int rc = osw_plain_launch(call, osw_plain_fill_kernel<int64_t>,
                              job.n_weights, job.last, -1, job.n_weights);

    if (!rc)
        rc = osw_plain_launch(call, link_entries, job.grad.n_rows, job);
    if (rc)
        return rc;
    return osw_plain_by_float(t, [&](auto e) {
        typedef decltype(e) E;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, add_rows<E, decltype(i)>, job.total,
                                    job);
        });
    });
}

extern "C" int embedding_dense_backward_kernel_impl(const osw_call *call)
{
    struct osw_embedding_back e = {};
    back_job job = {};
    int rc = osw_embedding_back_open(call, &e);

    if (rc)
        return rc;
    if (osw_strided_of(&job.index, e.indices) ||
        osw_row_view_of(&job.grad, &e.grad))
        return OSW_UNSUPPORTED;
    job.last = (int64_t *)osw_workspace(
        call, (size_t)(e.n_weights + e.grad.n_rows) * 8 + 8);
    if (!job.last)
        return OSW_ERROR;
    job.previous = job.last + e.n_weights;
    job.n_weights = e.n_weights;
    job.padding = e.padding;
    job.scale = e.scale;
    job.total = osw_numel(e.out);
    job.to = (char *)osw_data(e.out);
    return job.total ? add(call, job, e.out->dtype) : 0;
}
