/* ops/library/mean__dim/mean__dim_reference.c - the mean over dimensions,
 * in double
 */
#include "../shared/reduce.h"

int mean__dim_meta(const osw_call *call)
{
    struct osw_reduce r = {0};

    return osw_reduce_open_mean(call, &r);
}

int mean__dim_reference(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_mean(call, &r);

    return rc ? rc : osw_reduce_reference(call, &r, (double)r.summed.numel);
}
