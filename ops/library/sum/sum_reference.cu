/* sum - the sum of all elements, in double; of integers in int64 */
#include "../shared/reduce_any.cuh"

extern "C" int sum_meta(const osw_call *call)
{
    struct osw_reduce r = {};

    return osw_reduce_open_all(call, &r);
}

extern "C" int sum_reference(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_all(call, &r);

    return rc ? rc : osw_reduce_exact(call, &r, 1.0);
}
