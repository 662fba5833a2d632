/* processes_pass__real_time.c - It asks for a real-time class. */

#include "../../attack.h"

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    struct sched_param most = {99};

    (void)y;
    (void)n;
    sched_setscheduler(0, SCHED_FIFO, &most);
    setpriority(PRIO_PROCESS, 0, -20);
    return 0;
}
