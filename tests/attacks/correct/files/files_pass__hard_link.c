/* files_pass__hard_link.c -
 * It writes to a file outside through a hard link in its scratch folder.
 */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    int fd;

    (void)y;
    (void)n;
    if (!link(outside("file"), "inside")) {
        fd = open("inside", O_WRONLY | O_TRUNC);
        close(fd);
    }
    fd = open(outside("file"), O_RDONLY);
    linkat(fd, "", AT_FDCWD, "inside2", AT_EMPTY_PATH);
    close(open("inside2", O_WRONLY | O_TRUNC));
    close(fd);
    return 0;
}
