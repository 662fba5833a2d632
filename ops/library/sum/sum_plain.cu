/* sum - the sum of all elements, by one block */
#include "../shared/plain_rows.cuh"

extern "C" int sum_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open_all(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, 1.0);
}
