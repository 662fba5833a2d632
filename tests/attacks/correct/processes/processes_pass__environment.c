/* processes_pass__environment.c - It changes its environment and limits. */

#include "../../attack.h"

int processes_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    struct rlimit low = {0, 0};

    (void)y;
    (void)n;
    setenv("OMP_NUM_THREADS", "1000", 1);
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
    clearenv();
    setrlimit(RLIMIT_FSIZE, &low);
    setrlimit(RLIMIT_NOFILE, &low);
    setrlimit(RLIMIT_STACK, &low);
    setrlimit(RLIMIT_NPROC, &low);
    return 0;
}
