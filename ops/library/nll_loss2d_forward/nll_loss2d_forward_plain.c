/* nll_loss2d_forward - row by row, summed in double */
#include "../shared/nll_loss_plain.h"

int nll_loss2d_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open(call, &l, 1);

    return osw_nll_loss_plain(call, &l, rc);
}
