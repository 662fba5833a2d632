/* threads_fail_or_crash__late_writer.c -
 * A thread writes the result after the call.
 */

#include "../../attack.h"

static float *late_y, *late_copy;
static int64_t late_n;

static void *late(void *arg)
{
    sleep_ms(1);
    memcpy(late_y, late_copy, (size_t)late_n * 4);
    return arg;
}

int threads_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    late_copy = malloc((size_t)n * 4);
    memcpy(late_copy, y, (size_t)n * 4);
    memset(y, 0, (size_t)n * 4);
    late_y = y;
    late_n = n;
    start_thread(late, NULL);
    return 0;
}
