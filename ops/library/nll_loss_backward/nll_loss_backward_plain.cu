/* ops/library/nll_loss_backward/nll_loss_backward_plain.cu - zeros, then the
 * one element of each row, a thread per row
 */
#include "../shared/nll_loss.cuh"
#include "../shared/plain_copy.cuh"

struct back_job {
    struct osw_nll_view in;
    char *dx;
    osw_dtype dtype;
};

static __global__ void spread(const __grid_constant__ back_job job)
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
                  job.dx + (row * in.n_classes + c) * (job.dtype.bits / 8),
                  -grad * osw_nll_weight(in, c));
    }
}

extern "C" int nll_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {};
    back_job job;
    int rc = osw_nll_loss_open_backward(call, &l);

    if (!rc)
        rc = osw_plain_fill(call, l.dx, 0.0);
    if (rc)
        return rc;
    if (osw_nll_view_of(&job.in, &l))
        return OSW_UNSUPPORTED;
    job.dx = (char *)osw_data(l.dx);
    job.dtype = l.dx->dtype;
    return osw_plain_launch(call, spread, l.n_rows, job);
}
