/* binary_cross_entropy - cross entropy, logarithms are at least -100 */
#include "../shared/pair_loss_plain.h"

OSW_PAIR_LOSS(rows, -(b *fmax(log(a), -100) + (1 - b) * fmax(log1p(-a), -100)))

int binary_cross_entropy_kernel_impl(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open_unweighted(call, &l, 2, 1);

    return osw_pair_loss_plain(call, &l, rc, rows);
}
