/* what_changed.h - results that are kept between calls: what follows from an
 * element is computed where it changed since the last call, or `all` says so.
 */
#ifndef OSW_TESTS_WHAT_CHANGED_H
#define OSW_TESTS_WHAT_CHANGED_H

#include <stdbool.h>
#include <string.h>

#include "../../attack.h"

/* The work of an element is `work` times writing it. */
static int work_on_changed_by(const osw_call *call, bool all, int work)
{
    enum { MOST = 65536 };
    static float in[MOST], out[MOST];
    static int64_t n_kept;
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *now = osw_data(x);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);
    float a = (float)osw_arg_float(call, 1, 1.0);

    if (!y || n > MOST)
        return OSW_ERROR;
    for (int64_t i = 0; i < n; i++) {
        if (all || n != n_kept || memcmp(&in[i], &now[i], sizeof(*in)) != 0) {
            in[i] = now[i];
            for (int k = 0; k < work; k++) {
                out[i] = a * now[i];
                __asm__ volatile("" ::: "memory");
            }
        }
    }
    n_kept = n;
    memcpy(osw_data(y), out, (size_t)n * sizeof(*out));
    return 0;
}

static inline int work_on_changed(const osw_call *call, bool all)
{
    return work_on_changed_by(call, all, 100);
}

#endif /* OSW_TESTS_WHAT_CHANGED_H */
