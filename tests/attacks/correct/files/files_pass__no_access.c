/* files_pass__no_access.c - The scratch folder is closed to all. */

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
    mkdir("inner", 0777);
    close(open("inner/file", O_WRONLY | O_CREAT, 0));
    chmod("inner", 0);
    chmod(".", 0);
    return 0;
}
