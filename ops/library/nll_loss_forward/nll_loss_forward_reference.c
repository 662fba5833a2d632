/* nll_loss_forward - in double */
#include "../shared/nll_loss_reference.h"

int nll_loss_forward_meta(const osw_call *call)
{
    struct osw_nll_loss l = {0};

    return osw_nll_loss_open(call, &l, 0);
}

int nll_loss_forward_reference(const osw_call *call)
{
    struct osw_nll_loss l = {0};
    int rc = osw_nll_loss_open(call, &l, 0);

    return osw_nll_loss_reference(call, &l, rc);
}
