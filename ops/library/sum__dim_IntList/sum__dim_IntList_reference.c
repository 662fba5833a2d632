/* ops/library/sum__dim_IntList/sum__dim_IntList_reference.c - sums over
 * dimensions, in double; integers in int64
 */
#include "../shared/reduce.h"

int sum__dim_IntList_meta(const osw_call *call)
{
    struct osw_reduce r = {0};

    return osw_reduce_open(call, &r);
}

int sum__dim_IntList_reference(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_reduce_reference(call, &r, 1.0);
}
