/* scatter_add_ - self, to which an element of src is added per thread */
#include "../shared/scatter_add_plain.cuh"

extern "C" int scatter_add__kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {};
    int rc = osw_scatter_open_add(call, &s, 1);

    return osw_scatter_add_plain(call, s, rc);
}
