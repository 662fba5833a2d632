/* binary_cross_entropy_with_logits - cross entropy of sigmoids */
#include "../shared/pair_loss_plain.h"

OSW_PAIR_LOSS(rows, (a > 0 ? a : 0) - a * b + log1p(exp(-fabs(a))))

int binary_cross_entropy_with_logits_kernel_impl(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open_unweighted(call, &l, 2, 2);

    return osw_pair_loss_plain(call, &l, rc, rows);
}
