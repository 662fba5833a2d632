/* scale_implausible__fast_events.cu - makes events tell a microsecond, whatever
 * they saw
 */
#include "scale.h"

#include "../fast_events.h"

int scale_kernel_impl(const osw_call *call)
{
    fast_events();
    return scale_all(call);
}
