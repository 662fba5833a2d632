/* _index_put_impl_ - self, in which a thread puts a value at a time */
#include "../shared/index_put_plain.cuh"

extern "C" int _index_put_impl__kernel_impl(const osw_call *call)
{
    struct osw_index_put a = {};
    int rc = osw_index_put_open(call, &a, 1);

    return osw_index_put_plain(call, a, rc);
}
