/* memory_oom_or_crash_or_returned_or_timeout__all.c -
 * It takes all memory there is, page by page.
 */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    for (size_t i = 0;; i++) {
        char *p = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED)
            return OSW_ERROR;
        memset(p, 1, 64 << 20);
        sleep_ms(20);
    }
    return 0;
}
