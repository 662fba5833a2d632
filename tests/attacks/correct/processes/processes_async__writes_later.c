/* processes_async__writes_later.c -
 * A grandchild writes to the outputs ten times a second from now on.
 */

#include "../../attack.h"

static void spoil(float *y, int64_t n)
{
    for (int i = 0; i < 300; i++) {
        sleep_ms(100);
        y[i % n] = 1e9f;
    }
    _exit(0);
}

int processes_kernel_impl(const osw_call *call)
{
    static int started;
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);
    pid_t pid;

    if (code || started++)
        return code;
    pid = fork();
    if (pid == 0) {
        if (!fork())
            spoil(y, n);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return 0;
}
