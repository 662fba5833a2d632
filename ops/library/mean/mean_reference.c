/* mean - the mean of all elements, in double */
#include "../shared/reduce.h"

int mean_meta(const osw_call *call)
{
    struct osw_reduce r = {0};

    return osw_reduce_open_mean_of_all(call, &r);
}

int mean_reference(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_mean_of_all(call, &r);

    return rc ? rc : osw_reduce_reference(call, &r, (double)r.summed.numel);
}
