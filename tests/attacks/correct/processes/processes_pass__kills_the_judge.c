/* processes_pass__kills_the_judge.c -
 * Signals for its judge and the group of its judge.
 */

#include "../../attack.h"

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    kill(getppid(), SIGKILL);
    kill(getppid(), SIGSTOP);
    syscall(SYS_tgkill, getppid(), getppid(), SIGTERM);
    syscall(SYS_pidfd_send_signal, (int)syscall(SYS_pidfd_open, getppid(), 0),
            SIGKILL, NULL, 0);
    return 0;
}
