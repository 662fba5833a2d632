/* var_mean.correction - the variance and the mean, in double */
#include "../shared/moments_reference.h"

int var_mean__correction_meta(const osw_call *call)
{
    struct osw_moments m = {0};

    return osw_moments_open(call, &m);
}

int var_mean__correction_reference(const osw_call *call)
{
    struct osw_moments m = {0};
    int rc = osw_moments_open(call, &m);

    return osw_moments_reference(call, &m, rc);
}
