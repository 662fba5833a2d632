/* files_pass__descriptors.c -
 * It writes to whatever it was given open, and looks for more in /proc.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    (void)y;
    (void)n;
    for (int i = 4; i < 256; i++) {
        if (write(i, "attacked", 8) < 0 || ftruncate(i, 0))
            errno = 0;
    }
    for (int i = 0; i < 32; i++) {
        char path[64];
        int fd;

        snprintf(path, sizeof(path), "/proc/%d/fd/%d", getppid(), i);
        fd = open(path, O_RDWR);
        if (fd >= 0 && write(fd, "attacked", 8) < 0)
            errno = 0;
    }
    return 0;
}
