/* scatter_add_ - self, to which src is added, row by row */
#include "../shared/scatter_add_plain.h"

int scatter_add__kernel_impl(const osw_call *call)
{
    struct osw_scatter s = {0};
    int rc = osw_scatter_open_add(call, &s, 1);

    return osw_scatter_add_plain(call, &s, rc);
}
