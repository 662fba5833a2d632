/* logsumexp_pass__fold_logaddexp_f64.c - logaddexp folded over the row, in
 * double. */
#include "../rows.h"

static double lse(const double *x, int64_t n)
{
    double l = -INFINITY;

    for (int64_t i = 0; i < n; i++) {
        double hi = fmax(l, x[i]), lo = fmin(l, x[i]);

        l = isinf(hi) ? hi : hi + log1p(exp(lo - hi));
    }
    return l;
}

int logsumexp_kernel_impl(const osw_call *call)
{
    return reduce_rows_double(call, lse);
}
