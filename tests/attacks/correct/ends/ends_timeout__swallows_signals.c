/* ends_timeout__swallows_signals.c -
 * It takes no notice of any signal and hangs.
 */

#include "../../attack.h"

static void swallow(int signal)
{
    (void)signal;
}

int ends_kernel_impl(const osw_call *call)
{
    for (int i = 1; i < 65; i++)
        signal(i, swallow);
    for (;;)
        sleep_ms(1000);
    return scale(call);
}
