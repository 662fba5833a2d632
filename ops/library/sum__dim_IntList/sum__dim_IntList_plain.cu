/* ops/library/sum__dim_IntList/sum__dim_IntList_plain.cu - sums over
 * dimensions, a block or a thread per output
 */
#include "../shared/plain_rows.cuh"

extern "C" int sum__dim_IntList_kernel_impl(const osw_call *call)
{
    struct osw_reduce r = {};
    int rc = osw_reduce_open(call, &r);

    return rc ? rc : osw_plain_sums(call, &r, 1.0);
}
