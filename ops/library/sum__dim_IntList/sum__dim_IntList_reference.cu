/* ops/library/sum__dim_IntList/sum__dim_IntList_reference.cu - sums over
 * dimensions, in double; integers in int64
 */
#include "../shared/reduce_any.cuh"

extern "C" int sum__dim_IntList_meta(const osw_call *call)
{
    struct osw_reduce r = {};

    return osw_reduce_open(call, &r);
}

extern "C" int sum__dim_IntList_reference(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_reduce_exact(call, &r, 1.0);
}
