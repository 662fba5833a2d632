/* ops/library/nll_loss_forward/nll_loss_forward_reference.cu - the loss
 * -weight[target] * self[target] per row, summed, or divided by the sum of
 * these weights; total_weight is 0 where rows are not reduced
 *
 * One block, whose threads take rows in turn.
 */
#include "../shared/groups.cuh"
#include "../shared/nll_loss.cuh"

struct view {
    struct osw_nll_view in;
    double *out, *total_weight;
};

static __global__ void lose(struct view v)
{
    double sum = 0.0, total = 0.0;

    for (int64_t row = threadIdx.x; row < v.in.n_rows; row += blockDim.x) {
        int64_t c = osw_nll_class(v.in, row);
        double weight = c < 0 ? 0.0 : osw_nll_weight(v.in, c);
        double loss =
            c < 0
                ? 0.0
                : -weight * osw_strided_get(&v.in.x, row * v.in.n_classes + c);

        if (v.in.per_row)
            v.out[row] = loss;
        sum += loss;
        total += weight;
    }
    sum = osw_group_in_block(sum, osw_group_add());
    total = osw_group_in_block(total, osw_group_add());
    if (threadIdx.x != 0)
        return;
    *v.total_weight = v.in.per_row ? 0.0 : total;
    if (!v.in.per_row)
        *v.out = v.in.reduction == OSW_NLL_MEAN ? sum / total : sum;
}

extern "C" int nll_loss_forward_meta(const osw_call *call)
{
    struct osw_nll_loss l = {};

    return osw_nll_loss_open(call, &l, 0);
}

extern "C" int nll_loss_forward_reference(const osw_call *call)
{
    struct osw_nll_loss l = {};
    struct view v;
    int rc = osw_nll_loss_open(call, &l, 0);

    if (rc)
        return rc;
    v.out = osw_output_exact(call, 0);
    v.total_weight = osw_output_exact(call, 1);
    if (!v.out || !v.total_weight)
        return OSW_ERROR;
    if (osw_nll_view_of(&v.in, &l))
        return OSW_UNSUPPORTED;
    return osw_launch(call, lose, dim3(1), dim3(1024), 0, v);
}
