/* ops/library/index_add/index_add_buckets.c - the index sorted first, so that
 * threads share no slice
 */
#include "../shared/index_add.h"

int index_add_kernel_impl(const osw_call *call)
{
    struct osw_index_add a = {0};
    int rc = osw_index_add_open(call, &a, 0);

    return rc ? rc : osw_index_add_buckets(call, &a);
}
