/* ends_pass__signals_blocked.c -
 * It leaves signals blocked, an alarm pending and errno set.
 */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    alarm(1);
    errno = EDOM;
    return scale(call);
}
