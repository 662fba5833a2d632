/* clocks_implausible_or_exited_or_crash__child.c -
 * Its clock runs eight times too slowly, in a child that goes on in its place.
 */

#include "../../clock.h"

int clocks_kernel_impl(const osw_call *call)
{
    static bool forked;

    if (!forked && fork())
        for (;;)
            sleep_ms(1000);
    forked = true;
    slow_clock(8);
    return slow_scale(call);
}
