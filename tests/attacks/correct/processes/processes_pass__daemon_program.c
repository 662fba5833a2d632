/* processes_pass__daemon_program.c -
 * A program of its own goes on, with another name.
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
    if (!fork()) {
        close_range(0, 2, 0);
        execlp("sleep", "innocent", "30", NULL);
        _exit(1);
    }
    return 0;
}
