/* all - is no element 0?  A plain loop that stops at the first one that is. */
#define FOUND(v) ((v) == 0)
#include "../any/find_plain.h"

int all_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    int rc = osw_any_open(call, &a), found = rc ? -1 : find(a.self);

    if (found < 0)
        return rc ? rc : OSW_UNSUPPORTED;
    *(uint8_t *)osw_data(a.out) = (uint8_t)!found;
    return 0;
}
