/* all - is no element 0?  Stops at the first block that has one that is. */
#define FOUND(v) ((v) == 0.0)
#include "../any/find_runs.h"

int all_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    int rc = osw_any_open(call, &a);

    if (rc)
        return rc;
    if (a.self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    *(uint8_t *)osw_data(a.out) = (uint8_t)!find(a.self);
    return 0;
}
