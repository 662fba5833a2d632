/* clocks_implausible__1_5.c -
 * Its clock runs one and a half times too slowly.
 */

#include "../../clock.h"

int clocks_kernel_impl(const osw_call *call)
{
    slow_clock(1.5);
    return slow_scale(call);
}
