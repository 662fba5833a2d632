/* files_pass__modes.c -
 * It changes modes, times and extended attributes outside, which only the docs
 * can forbid.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    struct timespec old[2] = {{1000, 0}, {1000, 0}};

    (void)y;
    (void)n;
    chmod(outside("modes/file"), 0777);
    utimensat(AT_FDCWD, outside("modes/file"), old, 0);
    setxattr(outside("modes/file"), "user.attack", "1", 1, 0);
    return 0;
}
