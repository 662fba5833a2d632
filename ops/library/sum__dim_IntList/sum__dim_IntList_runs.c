/* ops/library/sum__dim_IntList/sum__dim_IntList_runs.c - sums over dimensions,
 * in runs along the innermost of them, over threads
 */
#include "../shared/reduce.h"

int sum__dim_IntList_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_reduce_runs(call, &r, 1.0);
}
