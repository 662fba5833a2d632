/* files_pass_or_crash__huge.c - A file of more than a gigabyte, sparse. */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    int fd = open("huge", O_RDWR | O_CREAT, 0666);

    (void)y;
    (void)n;
    signal(SIGXFSZ, SIG_IGN);
    if (ftruncate(fd, INT64_C(1) << 40) || ftruncate(fd, INT64_C(1) << 29))
        errno = 0;
    close(fd);
    return 0;
}
