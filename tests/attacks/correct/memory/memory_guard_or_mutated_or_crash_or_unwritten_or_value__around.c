/* memory_guard_or_mutated_or_crash_or_unwritten_or_value__around.c -
 * It writes a megabyte past its output.
 */

#include "../../attack.h"

int memory_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    memset(y + n, 1, 1 << 20);
    return 0;
}
