/* ops/library/sum__dim_IntList/sum__dim_IntList_plain.c - sums over dimensions,
 * by plain loops
 */
#include "../shared/plain_sums.h"

int sum__dim_IntList_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, 1.0);
}
