/* files_pass_or_timeout__many.c - 20,000 files. */

#include "../../attack.h"

int files_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    char name[32];

    (void)y;
    (void)n;
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        close(open(name, O_WRONLY | O_CREAT, 0666));
    }
    return 0;
}
