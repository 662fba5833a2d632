/* files_pass_or_timeout_or_crash__deep.c - 200 folders in each other. */

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
    for (int i = 0; i < 200 && !mkdir("d", 0777) && !chdir("d"); i++)
        ;
    return 0;
}
