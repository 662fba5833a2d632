/* index_put_ - one value after the other, in double */
#include "../shared/index_put_reference.h"

int index_put__meta(const osw_call *call)
{
    struct osw_index_put a = {0};

    return osw_index_put_open(call, &a, 1);
}

int index_put__reference(const osw_call *call)
{
    struct osw_index_put a = {0};
    int rc = osw_index_put_open(call, &a, 1);

    return osw_index_put_reference(call, &a, rc);
}
