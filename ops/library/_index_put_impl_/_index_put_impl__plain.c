/* _index_put_impl_ - self, in which one entry of the indices after the other is
 * put
 */
#include "../shared/index_put_plain.h"

int _index_put_impl__kernel_impl(const osw_call *call)
{
    struct osw_index_put a = {0};
    int rc = osw_index_put_open(call, &a, 1);

    return osw_index_put_plain(call, &a, rc);
}
