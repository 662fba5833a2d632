/* nll_loss_forward - row by row, summed in double */
#include "../shared/nll_loss_plain.h"

int nll_loss_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open(call, &l, 0);

    return osw_nll_loss_plain(call, &l, rc);
}
