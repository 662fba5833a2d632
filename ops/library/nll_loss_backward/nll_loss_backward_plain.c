/* ops/library/nll_loss_backward/nll_loss_backward_plain.c - zeros, then the one
 * element of each row
 */
#include "../shared/nll_loss.h"
#include "../shared/plain_rows.h"

int nll_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open_backward(call, &l);
    double scale = 1.0;
    int64_t row;

    if (rc)
        return rc;
    if (l.reduction == OSW_NLL_MEAN)
        scale = 1.0 / osw_get(l.total_weight, 0);
    rc = osw_plain_fill(call, l.dx, 0.0);
    for (row = 0; !rc && row < l.n_rows; row++) {
        int64_t c = osw_nll_loss_class(&l, row);
        double grad = osw_get(l.grad, l.per_row ? row : 0) * scale;

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (c >= 0)
            osw_store(l.dx->dtype, osw_at(l.dx, row * l.n_classes + c),
                      -grad * osw_nll_loss_weight(&l, c));
    }
    return rc;
}
