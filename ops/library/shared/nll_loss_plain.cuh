/* shared/nll_loss_plain.cuh - nll_loss_plain.h on a GPU: a thread per row, or
 * one block that adds up all rows in double; the gradient is zeros, then the
 * one element of each row
 */
#ifndef OSW_LIBRARY_NLL_LOSS_PLAIN_CUH
#define OSW_LIBRARY_NLL_LOSS_PLAIN_CUH

#include "nll_loss.cuh"
#include "plain_copy.cuh"
#include "plain_rows.cuh"

struct osw_nll_loss_job {
    struct osw_nll_view in;
    char *out, *out_weight;
    osw_dtype dtype; /* of both */
};

static __device__ double osw_nll_loss_of(const osw_nll_view &in, int64_t row,
                                         double *weight)
{
    int64_t c = osw_nll_class(in, row);

    *weight = c < 0 ? 0.0 : osw_nll_weight(in, c);
    return c < 0
               ? 0.0
               : -*weight *
                     osw_strided_get(&in.x, osw_nll_loss_at(in.n_classes,
                                                            in.inner, row, c));
}

static __global__ void
osw_nll_lose_rows(const __grid_constant__ osw_nll_loss_job job)
{
    double weight;

    for (int64_t row = osw_plain_first<int64_t>(); row < job.in.n_rows;
         row += osw_plain_step<int64_t>())
        osw_store(job.dtype, job.out + row * (job.dtype.bits / 8),
                  osw_nll_loss_of(job.in, row, &weight));
}

static __global__ void
osw_nll_lose_all(const __grid_constant__ osw_nll_loss_job job)
{
    double sum = 0.0, total = 0.0, weight;

    for (int64_t row = threadIdx.x; row < job.in.n_rows; row += blockDim.x) {
        sum += osw_nll_loss_of(job.in, row, &weight);
        total += weight;
    }
    sum = osw_plain_sum<osw_plain_block>(sum);
    total = osw_plain_sum<osw_plain_block>(total);
    if (threadIdx.x != 0)
        return;
    osw_store(job.dtype, job.out_weight, total);
    osw_store(job.dtype, job.out,
              job.in.reduction == OSW_NLL_MEAN ? sum / total : sum);
}

struct osw_nll_back_job {
    struct osw_nll_view in;
    char *dx;
    osw_dtype dtype;
};

static __global__ void
osw_nll_spread(const __grid_constant__ osw_nll_back_job job)
{
    const struct osw_nll_view &in = job.in;

    for (int64_t row = osw_plain_first<int64_t>(); row < in.n_rows;
         row += osw_plain_step<int64_t>()) {
        int64_t c = osw_nll_class(in, row);
        double grad = osw_strided_get(&in.grad, in.per_row ? row : 0);

        if (c < 0)
            continue;
        if (in.reduction == OSW_NLL_MEAN)
            grad /= osw_strided_get(&in.total_weight, 0);
        osw_store(job.dtype,
                  job.dx + (osw_nll_loss_at(in.n_classes, in.inner, row, c)) *
                               (job.dtype.bits / 8),
                  -grad * osw_nll_weight(in, c));
    }
}

/* rc: what opening the arguments returned. */
static inline int osw_nll_loss_plain(const osw_call *call,
                                     const osw_nll_loss &l, int rc)
{
    osw_nll_loss_job job;

    if (rc)
        return rc;
    if (osw_nll_view_of(&job.in, &l))
        return OSW_UNSUPPORTED;
    job.out = (char *)osw_data(l.out);
    job.out_weight = (char *)osw_data(l.out_weight);
    job.dtype = l.out->dtype;
    if (!l.per_row)
        return osw_launch(call, osw_nll_lose_all, 1, OSW_PLAIN_THREADS, 0, job);
    rc = osw_plain_fill(call, l.out_weight, 0.0);
    return rc ? rc : osw_plain_launch(call, osw_nll_lose_rows, l.n_rows, job);
}

static inline int osw_nll_loss_plain_back(const osw_call *call,
                                          const osw_nll_loss &l, int rc)
{
    osw_nll_back_job job;

    if (!rc)
        rc = osw_plain_fill(call, l.dx, 0.0);
    if (rc)
        return rc;
    if (osw_nll_view_of(&job.in, &l))
        return OSW_UNSUPPORTED;
    job.dx = (char *)osw_data(l.dx);
    job.dtype = l.dx->dtype;
    return osw_plain_launch(call, osw_nll_spread, l.n_rows, job);
}

#endif /* OSW_LIBRARY_NLL_LOSS_PLAIN_CUH */
