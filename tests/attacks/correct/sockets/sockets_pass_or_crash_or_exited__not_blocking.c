/* sockets_pass_or_crash_or_exited__not_blocking.c -
 * Reading from the judge fails when there is nothing.
 */

#include "../../attack.h"

int sockets_kernel_impl(const osw_call *call)
{
    for (int i = 0; i < 4; i++)
        fcntl(i, F_SETFL, O_NONBLOCK | O_ASYNC);
    return scale(call);
}
