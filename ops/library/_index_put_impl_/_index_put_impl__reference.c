/* _index_put_impl_ - one value after the other, in double */
#include "../shared/index_put_reference.h"

int _index_put_impl__meta(const osw_call *call)
{
    struct osw_index_put a = {0};

    return osw_index_put_open(call, &a, 1);
}

int _index_put_impl__reference(const osw_call *call)
{
    struct osw_index_put a = {0};
    int rc = osw_index_put_open(call, &a, 1);

    return osw_index_put_reference(call, &a, rc);
}
