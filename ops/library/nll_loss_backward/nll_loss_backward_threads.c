/* ops/library/nll_loss_backward/nll_loss_backward_threads.c - rows over
 * threads: each is cleared, then gets its one element
 */
#include "../shared/nll_loss.h"

int nll_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open_backward(call, &l, 0);
    double scale;
    int64_t n_bad = 0, bytes;
    int threads;

    if (rc)
        return rc;
    scale =
        l.reduction == OSW_NLL_MEAN ? 1.0 / osw_get(l.total_weight, 0) : 1.0;
    bytes = l.n_classes * (l.x->dtype.bits / 8);
    threads = osw_rows_threads(call, l.n_rows);
#pragma omp parallel for num_threads(threads) reduction(+ : n_bad)
    for (int64_t row = 0; row < l.n_rows; row++) {
        int64_t c = osw_nll_loss_class(&l, row);
        double grad = osw_get(l.grad, l.per_row ? row : 0) * scale;

        memset((char *)osw_data(l.dx) + row * bytes, 0, (size_t)bytes);
        n_bad += c == -2;
        if (c >= 0)
            osw_set(l.dx, row * l.n_classes + c,
                    -grad * osw_nll_loss_weight(&l, c));
    }
    return n_bad ? osw_error(call, "target is out of range") : 0;
}
