/* any - is any element not 0?  A plain loop that stops at the first one. */
#define FOUND(v) ((v) != 0)
#include "find_plain.h"

int any_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    int rc = osw_any_open(call, &a), found = rc ? -1 : find(a.self);

    if (found < 0)
        return rc ? rc : OSW_UNSUPPORTED;
    *(uint8_t *)osw_data(a.out) = (uint8_t)found;
    return 0;
}
