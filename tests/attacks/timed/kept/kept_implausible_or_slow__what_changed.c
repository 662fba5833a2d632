/* kept_implausible_or_slow__what_changed.c - It computes what follows from
 * elements that changed since the last call, and nothing else.
 */
#include "what_changed.h"

int kept_kernel_impl(const osw_call *call)
{
    return work_on_changed(call, false);
}
