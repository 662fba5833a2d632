/* nll_loss_backward - zeros, then the one element of each row */
#include "../shared/nll_loss_plain.h"

int nll_loss_backward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open_backward(call, &l, 0);

    return osw_nll_loss_plain_back(call, &l, rc);
}
