/* files_pass__kernel_settings.c - It writes to /proc and /sys. */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    const char *names[] = {
        "/proc/self/oom_score_adj", "/proc/sys/kernel/core_pattern",
        "/proc/self/comm",          "/proc/self/coredump_filter",
        "/proc/self/clear_refs",    "/dev/shm/opsweep-attack"};

    (void)y;
    (void)n;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int fd = open(names[i], O_WRONLY | (i == 5 ? O_CREAT : 0), 0666);

        if (fd >= 0 && write(fd, "-1000", 5) < 0)
            errno = 0;
        close(fd);
    }
    return 0;
}
