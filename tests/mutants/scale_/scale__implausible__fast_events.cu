/* scale__implausible__fast_events.cu - makes events tell a microsecond, whatever
 * they saw
 */
#include "scale_.h"

#include "../fast_events.h"

int scale__kernel_impl(const osw_call *call)
{
    fast_events();
    return scale_all(call);
}
