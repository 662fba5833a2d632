/* binary_cross_entropy_with_logits - cross entropy of sigmoids, in double */
#include "../shared/pair_loss.h"

int binary_cross_entropy_with_logits_meta(const osw_call *call)
{
    struct osw_pair_loss l = {0};

    return osw_pair_loss_open_unweighted(call, &l, 2, 2);
}

static double of(double a, double b, double width)
{
    (void)width;
    return (a > 0.0 ? a : 0.0) - a * b + log1p(exp(-fabs(a)));
}

int binary_cross_entropy_with_logits_reference(const osw_call *call)
{
    struct osw_pair_loss l = {0};
    int rc = osw_pair_loss_open_unweighted(call, &l, 2, 2);

    return osw_pair_loss_reference(call, &l, rc, of);
}
