/* ops/library/nll_loss_backward/nll_loss_backward_reference.cu - zeros, but
 * -weight[target] * grad_output at the target of every row, divided by
 * total_weight where the loss is a mean
 *
 * A thread to an element.
 */
#include "../shared/nll_loss.cuh"

struct view {
    struct osw_nll_view in;
    double *dx;
};

static __global__ void spread(struct view v)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t n = v.in.n_rows * v.in.n_classes;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        int64_t row = i / v.in.n_classes, c = osw_nll_class(v.in, row);
        double grad = osw_strided_get(&v.in.grad, v.in.per_row ? row : 0);

        if (v.in.reduction == OSW_NLL_MEAN)
            grad /= osw_strided_get(&v.in.total_weight, 0);
        v.dx[i] =
            c == i % v.in.n_classes ? -grad * osw_nll_weight(v.in, c) : 0.0;
    }
}

extern "C" int nll_loss_backward_meta(const osw_call *call)
{
    struct osw_nll_loss l = {};

    return osw_nll_loss_open_backward(call, &l, 0);
}

extern "C" int nll_loss_backward_reference(const osw_call *call)
{
    struct osw_nll_loss l = {};
    struct view v;
    int rc = osw_nll_loss_open_backward(call, &l, 0);

    if (rc)
        return rc;
    v.dx = osw_output_exact(call, 0);
    if (!v.dx)
        return OSW_ERROR;
    if (osw_nll_view_of(&v.in, &l))
        return OSW_UNSUPPORTED;
    if (osw_numel(l.dx) == 0)
        return 0;
    return osw_launch(call, spread, dim3(osw_grid(osw_numel(l.dx), 256)),
                      dim3(256), 0, v);
}
