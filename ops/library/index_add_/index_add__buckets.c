/* ops/library/index_add_/index_add__buckets.c - the index sorted first, so that
 * threads share no slice
 */
#include "../shared/index_add.h"

int index_add__kernel_impl(const osw_call *call)
{
    struct osw_index_add a = {0};
    int rc = osw_index_add_open(call, &a, 1);

    return rc ? rc : osw_index_add_buckets(call, &a);
}
