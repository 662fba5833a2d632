/* nll_loss2d_backward - zeros, then the one element of each row, a thread per
 * row */
#include "../shared/nll_loss_plain.cuh"

extern "C" int nll_loss2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {};
    int rc = osw_nll_loss_open_backward(call, &l, 1);

    return osw_nll_loss_plain_back(call, l, rc);
}
