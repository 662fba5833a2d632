/* sum - the sum of all elements, in double; of integers in int64 */
#include "../shared/reduce.h"

int sum_meta(const osw_call *call)
{
    struct osw_reduce r = {0};

    return osw_reduce_open_all(call, &r);
}

int sum_reference(const osw_call *call)
{
    struct osw_reduce r = {0};
    int rc = osw_reduce_open_all(call, &r);

    return rc ? rc : osw_reduce_reference(call, &r, 1.0);
}
