/* smooth_l1_loss - squares of small differences, sizes of others */
#include "../shared/pair_loss_plain.h"

OSW_PAIR_LOSS(rows, fabs(a - b) < width ? (a - b) * (a - b) / (2 * width)
                                        : fabs(a - b) - width / 2)

int smooth_l1_loss_kernel_impl(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open(call, &l, 2, 3);

    return osw_pair_loss_plain(call, &l, rc, rows);
}
