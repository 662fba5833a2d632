/* ops/library/index_add_/index_add__reference.c - slices added to self itself
 */
#include "../shared/index_add.h"

int index_add__meta(const osw_call *call)
{
    struct osw_index_add a = {0};

    return osw_index_add_open(call, &a, 1);
}

int index_add__reference(const osw_call *call)
{
    struct osw_index_add a = {0};
    int rc = osw_index_add_open(call, &a, 1);

    return rc ? rc : osw_index_add_reference(call, &a);
}
