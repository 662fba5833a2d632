/* queue_pass_or_crash_or_timeout__requests_stay.c -
 * Requests are read but never taken from the socket, so that it gets full.
 */

#include "../../attack.h"

static ssize_t peek(int fd, struct msghdr *m, int flags)
{
    return syscall(SYS_recvmsg, fd, m, fd == JUDGE ? flags | MSG_PEEK : flags);
}

int queue_kernel_impl(const osw_call *call)
{
    static bool patched;
    int zero = 0;

    if (!patched &&
        !setsockopt(JUDGE, SOL_SOCKET, SO_PEEK_OFF, &zero, sizeof(zero)))
        patched = patch("recvmsg", (const void *)peek);
    return scale(call);
}
