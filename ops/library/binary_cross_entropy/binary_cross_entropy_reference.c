/* binary_cross_entropy - cross entropy, logarithms are at least -100, in double
 */
#include "../shared/pair_loss.h"

int binary_cross_entropy_meta(const osw_call *call)
{
    struct osw_pair_loss l = {0};

    return osw_pair_loss_open_unweighted(call, &l, 2, 1);
}

static double of(double a, double b, double width)
{
    (void)width;
    return -(b * fmax(log(a), -100.0) + (1.0 - b) * fmax(log1p(-a), -100.0));
}

int binary_cross_entropy_reference(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open_unweighted(call, &l, 2, 1);

    return osw_pair_loss_reference(call, &l, rc, of);
}
