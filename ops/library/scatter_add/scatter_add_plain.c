/* scatter_add - a copy of self, to which src is added, row by row */
#include "../shared/scatter_add_plain.h"

int scatter_add_kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {0};
    int rc = osw_scatter_open_add(call, &s, 0);

    return osw_scatter_add_plain(call, &s, rc);
}
