/* ops/library/nll_loss_forward/nll_loss_forward_threads.c - rows over threads,
 * summed in double
 */
#include "../shared/nll_loss.h"

int nll_loss_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open(call, &l, 0);
    double sum = 0.0, total = 0.0;
    int64_t n_bad = 0, row_stride;
    int threads;

    if (rc)
        return rc;
    row_stride = l.x->ndim == 2 ? l.x->strides[0] : 0;
    threads = osw_rows_threads(call, l.n_rows / 256);
#pragma omp parallel for num_threads(threads) reduction(+ : sum, total, n_bad)
    for (int64_t row = 0; row < l.n_rows; row++) {
        int64_t c = osw_nll_loss_class(&l, row);
        double w = 0.0, loss = 0.0;

        n_bad += c == -2;
        if (c >= 0) {
            int64_t at = row * row_stride + c * l.x->strides[l.x->ndim - 1];

            w = osw_nll_loss_weight(&l, c);
            loss = -w * osw_load(l.x->dtype, osw_at(l.x, at));
        }
        if (l.per_row)
            osw_set(l.out, row, loss);
        sum += loss;
        total += w;
    }
    if (n_bad)
        return osw_error(call, "target is out of range");
    osw_set(l.out_weight, 0, l.per_row ? 0.0 : total);
    if (!l.per_row)
        osw_set(l.out, 0, l.reduction == OSW_NLL_MEAN ? sum / total : sum);
    return 0;
}
