/* processes_async__orphan.c -
 * A grandchild goes on, its parent ends; it has a session of its own, it
 * thinks.
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
    if (!fork()) {
        setsid();
        if (!fork()) {
            setpgid(0, 0);
            signal(SIGTERM, SIG_IGN);
            signal(SIGHUP, SIG_IGN);
            rest();
        }
        _exit(0);
    }
    return 0;
}
