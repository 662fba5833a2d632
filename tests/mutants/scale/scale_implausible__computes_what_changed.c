/* scale_implausible__computes_what_changed.c - right for all inputs, and slow,
 * but for elements that are as they were in the call before
 */
#include <stdlib.h>

#include "scale.h"

static float *in, *out;
static int64_t n_kept;

/* The same value by a long way. */
static float slowly(float x, float factor)
{
    volatile float product = factor * x;

    for (int k = 0; k < 60; k++)
        product = product * 1.0f;
    return product;
}

static int keep_none(int64_t n)
{
    free(in);
    free(out);
    in = calloc((size_t)n + 1, sizeof(*in));
    out = calloc((size_t)n + 1, sizeof(*out));
    n_kept = in && out ? n : 0;
    return n_kept == n ? 0 : OSW_ERROR;
}

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc && n_kept != g.n)
        rc = keep_none(g.n);
    for (int64_t i = 0; !rc && i < g.n; i++) {
        if (in[i] != g.x[i] || g.x[i] == 0) {
            in[i] = g.x[i];
            out[i] = slowly(g.x[i], g.factor);
        }
        g.y[i] = out[i];
    }
    return rc;
}
