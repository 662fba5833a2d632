/* smooth_l1_loss - squares of small differences, sizes of others, in double */
#include "../shared/pair_loss.h"

int smooth_l1_loss_meta(const osw_call *call)
{
    struct osw_pair_loss l = {0};

    return osw_pair_loss_open(call, &l, 2, 3);
}

static double of(double a, double b, double width)
{
    double d = fabs(a - b);

    return d < width ? 0.5 * d * d / width : d - 0.5 * width;
}

int smooth_l1_loss_reference(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open(call, &l, 2, 3);

    return osw_pair_loss_reference(call, &l, rc, of);
}
