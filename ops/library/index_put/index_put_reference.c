/* index_put - one value after the other, in double */
#include "../shared/index_put_reference.h"

int index_put_meta(const osw_call *call)
{
    struct osw_index_put a = {0};

    return osw_index_put_open(call, &a, 0);
}

int index_put_reference(const osw_call *call)
{
    struct osw_index_put a = {0};
    int rc = osw_index_put_open(call, &a, 0);

    return osw_index_put_reference(call, &a, rc);
}
