/* nll_loss_forward - a thread per row, or one block that adds up all rows */
#include "../shared/nll_loss_plain.cuh"

extern "C" int nll_loss_forward_kernel_impl(const osw_call *call)
{
    struct osw_nll_loss l = {};
    int rc = osw_nll_loss_open(call, &l, 0);

    return osw_nll_loss_plain(call, l, rc);
}
