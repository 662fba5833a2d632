/* ops/library/nll_loss_forward/nll_loss_forward_plain.c - row by row, summed in
 * double
 */
#include "../shared/nll_loss.h"

int nll_loss_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open(call, &l);
    double sum = 0.0, total = 0.0;
    int64_t row;

    if (rc)
        return rc;
    for (row = 0; row < l.n_rows; row++) {
        int64_t c = osw_nll_loss_class(&l, row);
        double w = c < 0 ? 0.0 : osw_nll_loss_weight(&l, c);
        double loss = c < 0 ? 0.0 : -w * osw_get(l.x, row * l.n_classes + c);

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (l.per_row)
            osw_set(l.out, row, loss);
        sum += loss;
        total += w;
    }
    osw_set(l.out_weight, 0, l.per_row ? 0.0 : total);
    if (!l.per_row)
        osw_set(l.out, 0, l.reduction == OSW_NLL_MEAN ? sum / total : sum);
    return 0;
}
