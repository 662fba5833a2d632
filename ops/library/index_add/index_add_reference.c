/* ops/library/index_add/index_add_reference.c - slices added to a copy of self
 */
#include "../shared/index_add.h"

int index_add_meta(const osw_call *call)
{
    struct osw_index_add a = {0};

    return osw_index_add_open(call, &a, 0);
}

int index_add_reference(const osw_call *call)
{
    struct osw_index_add a = {0};
    int rc = osw_index_add_open(call, &a, 0);

    return rc ? rc : osw_index_add_reference(call, &a);
}
