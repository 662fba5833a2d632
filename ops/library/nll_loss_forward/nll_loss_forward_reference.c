/* ops/library/nll_loss_forward/nll_loss_forward_reference.c - the loss
 * -weight[target] * self[target] per row, summed, or divided by the sum of
 * these weights; total_weight is 0 where rows are not reduced
 */
#include "../shared/nll_loss.h"

int nll_loss_forward_meta(const osw_call *call)
{
    struct osw_nll_loss l = {0};

    return osw_nll_loss_open(call, &l);
}

int nll_loss_forward_reference(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open(call, &l);
    double *out, *total_weight, sum = 0.0, total = 0.0;

    if (rc)
        return rc;
    out = osw_output_exact(call, 0);
    total_weight = osw_output_exact(call, 1);
    if (!out || !total_weight)
        return OSW_ERROR;
    for (int64_t row = 0; row < l.n_rows; row++) {
        int64_t c = osw_nll_loss_class(&l, row);
        double w = c < 0 ? 0.0 : osw_nll_loss_weight(&l, c);
        double loss = c < 0 ? 0.0 : -w * osw_get(l.x, row * l.n_classes + c);

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (l.per_row)
            out[row] = loss;
        sum += loss;
        total += w;
    }
    *total_weight = l.per_row ? 0.0 : total;
    if (!l.per_row)
        *out = l.reduction == OSW_NLL_MEAN ? sum / total : sum;
    return 0;
}
