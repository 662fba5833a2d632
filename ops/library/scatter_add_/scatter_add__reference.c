/* scatter_add_ - self, to which src is added */
#include "../shared/scatter_add_reference.h"

int scatter_add__meta(const osw_call *call)
{
    struct osw_scatter s = {0};

    return osw_scatter_open_add(call, &s, 1);
}

int scatter_add__reference(const osw_call *call)
{
    struct osw_scatter s = {0};
    int rc = osw_scatter_open_add(call, &s, 1);

    return osw_scatter_add_reference(call, &s, rc);
}
