/* nll_loss2d_backward - in double */
#include "../shared/nll_loss_reference.h"

int nll_loss2d_backward_meta(const osw_call *call)
{
    struct osw_nll_loss l = {0};

    return osw_nll_loss_open_backward(call, &l, 1);
}

int nll_loss2d_backward_reference(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open_backward(call, &l, 1);

    return osw_nll_loss_reference_back(call, &l, rc);
}
