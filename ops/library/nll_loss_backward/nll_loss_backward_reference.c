/* ops/library/nll_loss_backward/nll_loss_backward_reference.c - zeros, but
 * -weight[target] * grad_output at the target of every row, divided by
 * total_weight where the loss is a mean
 */
#include "../shared/nll_loss.h"

int nll_loss_backward_meta(const osw_call *call)
{
    struct osw_nll_loss l = {0};

    return osw_nll_loss_open_backward(call, &l);
}

int nll_loss_backward_reference(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open_backward(call, &l);
    double *dx = rc ? NULL : osw_output_exact(call, 0);

    if (!dx)
        return rc ? rc : OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(l.x); i++)
        dx[i] = 0.0;
    for (int64_t row = 0; row < l.n_rows; row++) {
        int64_t c = osw_nll_loss_class(&l, row);
        double grad = osw_get(l.grad, l.per_row ? row : 0);

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (c == -1)
            continue;
        if (l.reduction == OSW_NLL_MEAN)
            grad /= osw_get(l.total_weight, 0);
        dx[row * l.n_classes + c] = -grad * osw_nll_loss_weight(&l, c);
    }
    return 0;
}
