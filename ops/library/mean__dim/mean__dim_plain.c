/* ops/library/mean__dim/mean__dim_plain.c - the mean over dimensions, by plain
 * loops
 */
#include "../shared/plain_sums.h"

int mean__dim_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_mean(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, (double)r.summed.numel);
}
