/* processes_pass__siblings.c -
 * Its children are children of its judge, and end in all ways.
 */

#include "../../attack.h"

static void rest(void)
{
    for (int i = 0; i < 300; i++)
        sleep_ms(100);
    _exit(0);
}

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    for (int i = 0; i < 8; i++) {
        long pid =
            syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);

        if (pid)
            continue;
        if (i < 4)
            _exit(i);
        if (i < 6)
            kill(getpid(), SIGKILL);
        rest();
    }
    return 0;
}
