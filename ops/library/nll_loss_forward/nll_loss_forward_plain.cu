/* ops/library/nll_loss_forward/nll_loss_forward_plain.cu - a thread per row, or
 * one block that adds up all rows in double
 */
#include "../shared/nll_loss.cuh"
#include "../shared/plain_copy.cuh"
#include "../shared/plain_rows.cuh"

struct loss_job {
    struct osw_nll_view in;
    char *out, *out_weight;
    osw_dtype dtype; /* of both */
};

static __device__ double loss_of(const osw_nll_view &in, int64_t row,
                                 double *weight)
{
    int64_t c = osw_nll_class(in, row);

    *weight = c < 0 ? 0.0 : osw_nll_weight(in, c);
    return c < 0 ? 0.0
                 : -*weight * osw_strided_get(&in.x, row * in.n_classes + c);
}

static __global__ void lose_rows(const __grid_constant__ loss_job job)
{
    double weight;

    for (int64_t row = osw_plain_first<int64_t>(); row < job.in.n_rows;
         row += osw_plain_step<int64_t>())
        osw_store(job.dtype, job.out + row * (job.dtype.bits / 8),
                  loss_of(job.in, row, &weight));
}

static __global__ void lose_all(const __grid_constant__ loss_job job)
{
    double sum = 0.0, total = 0.0, weight;

    for (int64_t row = threadIdx.x; row < job.in.n_rows; row += blockDim.x) {
        sum += loss_of(job.in, row, &weight);
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

extern "C" int nll_loss_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {};
    loss_job job;
    int rc = osw_nll_loss_open(call, &l);

    if (rc)
        return rc;
    if (osw_nll_view_of(&job.in, &l))
        return OSW_UNSUPPORTED;
    job.out = (char *)osw_data(l.out);
    job.out_weight = (char *)osw_data(l.out_weight);
    job.dtype = l.out->dtype;
    if (!l.per_row)
        return osw_launch(call, lose_all, 1, OSW_PLAIN_THREADS, 0, job);
    rc = osw_plain_fill(call, l.out_weight, 0.0);
    return rc ? rc : osw_plain_launch(call, lose_rows, l.n_rows, job);
}
