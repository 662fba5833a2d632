/* index_put - a copy of self, in which a thread puts a value at a time */
#include "../shared/index_put_plain.cuh"

extern "C" int index_put_kernel_impl(const osw_call *call)
{
    struct osw_index_put a = {};
    int rc = osw_index_put_open(call, &a, 0);

    return osw_index_put_plain(call, a, rc);
}
