/* mse_loss - squares of differences, in double */
#include "../shared/pair_loss.h"

int mse_loss_meta(const osw_call *call)
{
    struct osw_pair_loss l = {0};

    return osw_pair_loss_open(call, &l, 2, -1);
}

static double of(double a, double b, double width)
{
    (void)width;
    return (a - b) * (a - b);
}

int mse_loss_reference(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open(call, &l, 2, -1);

    return osw_pair_loss_reference(call, &l, rc, of);
}
