/* scatter_add - a copy of self, to which an element of src is added per thread
 */
#include "../shared/scatter_add_plain.cuh"

extern "C" int scatter_add_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {};
    int rc = osw_scatter_open_add(call, &s, 0);

    return osw_scatter_add_plain(call, s, rc);
}
