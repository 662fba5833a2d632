/* files_pass__flags.c -
 * It changes flags of a file outside that is open for reading only.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    int fd = open(outside("flags/file"), O_RDONLY), flags = 0;

    (void)y;
    (void)n;
    if (!ioctl(fd, _IOR(0x66, 1, long), &flags)) {
        flags |= 0x40 | 0x80;
        ioctl(fd, _IOW(0x66, 2, long), &flags);
    }
    close(fd);
    return 0;
}
