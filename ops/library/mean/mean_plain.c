/* mean - the mean of all elements, by plain loops */
#include "../shared/plain_sums.h"

int mean_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_mean_of_all(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, (double)r.summed.numel);
}
