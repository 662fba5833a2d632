/* mse_loss - squares of differences */
#include "../shared/pair_loss_plain.h"

OSW_PAIR_LOSS(rows, (a - b) * (a - b))

int mse_loss_kernel_impl(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open(call, &l, 2, -1);

    return osw_pair_loss_plain(call, &l, rc, rows);
}
