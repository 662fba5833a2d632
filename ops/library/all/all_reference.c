/* all - is no element 0? */
#include "../any/any.h"

int all_meta(const osw_call *call)
{
    struct osw_any a;

    return osw_any_open(call, &a);
}

int all_reference(const osw_call *call)
{
    struct osw_any a;
    int rc = osw_any_open(call, &a), truth = 1;

    if (rc)
        return rc;
    for (int64_t i = 0; i < osw_numel(a.self); i++)
        truth &= osw_get(a.self, i) != 0.0;
    osw_set(a.out, 0, truth);
    return 0;
}
