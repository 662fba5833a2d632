/* threads_pass_or_fail_or_reference_or_crash__inputs_all_the_time.c -
 * A thread changes an input and puts it back, for ever.
 */

#include "../../attack.h"

static float *volatile spin_x;

static void *spin(void *arg)
{
    for (;;) {
        volatile float *x = spin_x;
        float kept = x[11];

        for (int i = 0; i < 1000 && x == spin_x; i++) {
            x[11] = 1e30F;
            x[11] = kept;
        }
    }
    return arg;
}

int threads_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (code)
        return code;
    static int started;

    (void)n;
    (void)y;
    spin_x = osw_data(osw_arg_tensor(call, 0));
    if (!started++)
        start_thread(spin, NULL);
    return 0;
}
