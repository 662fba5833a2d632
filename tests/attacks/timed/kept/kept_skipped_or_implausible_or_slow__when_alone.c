/* kept_skipped_or_implausible_or_slow__when_alone.c - It computes what follows
 * from elements that changed since the last call, and everything where a call
 * does not follow another one at once: so calls on new inputs take no longer
 * than calls that are as lonely.
 */
#include <string.h>
#include <time.h>

#include "../../attack.h"

enum { MOST = 65536, LONELY_NS = 1000 };

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int kept_kernel_impl(const osw_call *call)
{
    static float in[MOST], out[MOST];
    static int64_t n_kept, left_ns;
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *now = osw_data(x);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);
    float a = (float)osw_arg_float(call, 1, 1.0);
    int all = n != n_kept || now_ns() - left_ns > LONELY_NS;

    if (!y || n > MOST)
        return OSW_ERROR;
    for (int64_t i = 0; i < n; i++) {
        if (all || memcmp(&in[i], &now[i], sizeof(*in)) != 0) {
            in[i] = now[i];
            for (int k = 0; k < 100; k++) {
                out[i] = a * now[i];
                __asm__ volatile("" ::: "memory");
            }
        }
    }
    n_kept = n;
    memcpy(osw_data(y), out, (size_t)n * sizeof(*out));
    left_ns = now_ns();
    return 0;
}
