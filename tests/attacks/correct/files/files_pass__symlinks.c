/* files_pass__symlinks.c -
 * Links in the scratch folder lead outside: its removal must not follow
 * them.
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
    if (symlink(outside(""), "outside") || symlink(outside("file"), "file") ||
        symlink("/", "root") || symlink("loop", "loop") ||
        mkfifo("fifo", 0666) || mkdir("closed", 0000) ||
        mkdir("line\nend", 0777))
        errno = 0;
    return 0;
}
