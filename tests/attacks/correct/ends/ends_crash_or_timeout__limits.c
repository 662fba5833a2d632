/* ends_crash_or_timeout__limits.c -
 * It allows itself one second of the processor, and spins.
 */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    struct rlimit one = {1, 1};
    volatile int n = 0;

    setrlimit(RLIMIT_CPU, &one);
    for (;;)
        n++;
    return scale(call);
}
