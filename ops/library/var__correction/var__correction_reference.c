/* var.correction - the variance, in double */
#include "../shared/moments_reference.h"

int var__correction_meta(const osw_call *call)
{
    struct osw_moments m = {0};

    return osw_moments_open_one(call, &m, 0);
}

int var__correction_reference(const osw_call *call)
{
    struct osw_moments m = {0};
    int rc = osw_moments_open_one(call, &m, 0);

    return osw_moments_reference(call, &m, rc);
}
