/* ops/library/nll_loss_backward/nll_loss_backward_fast.cu - everything is
 * cleared, then each row gets its one element
 */
#include "../shared/nll_loss.cuh"

struct view {
    struct osw_nll_view in;
    char *dx;
    osw_dtype dtype;
};

static __global__ void put_targets(struct view v)
{
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, c;
    double grad;

    if (row >= v.in.n_rows)
        return;
    c = osw_nll_class(v.in, row);
    grad = osw_strided_get(&v.in.grad, v.in.per_row ? row : 0);
    if (v.in.reduction == OSW_NLL_MEAN)
        grad /= osw_strided_get(&v.in.total_weight, 0);
    if (c >= 0)
        osw_store(v.dtype,
                  v.dx + (row * v.in.n_classes + c) * (v.dtype.bits / 8),
                  -grad * osw_nll_weight(v.in, c));
}

extern "C" int nll_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {};
    struct view v;
    int rc = osw_nll_loss_open_backward(call, &l, 0);
    int64_t blocks = (l.n_rows + 255) / 256;

    if (rc)
        return rc;
    if (osw_nll_view_of(&v.in, &l) || blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    if (osw_numel(l.dx) == 0)
        return 0;
    v.dx = (char *)osw_data(l.dx);
    v.dtype = l.dx->dtype;
    cudaMemsetAsync(v.dx, 0, (size_t)osw_numel(l.dx) * (v.dtype.bits / 8),
                    (cudaStream_t)call->stream);
    return osw_launch(call, put_targets, dim3((unsigned)blocks), dim3(256), 0,
                      v);
}
