/* files_pass__scratch_gone.c -
 * The scratch folder is removed, renamed, or a link.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    char cwd[PATH_MAX];

    (void)y;
    (void)n;
    if (!getcwd(cwd, sizeof(cwd)) || chdir("/"))
        return 0;
    rmdir(cwd);
    rename(cwd, outside("scratch"));
    if (symlink(outside(""), cwd))
        errno = 0;
    return 0;
}
