/* track.h - what the implementations of this op share: y = x - seen, then seen
 * becomes the mean of both where `update` says so; f32 */
#ifndef OSW_TESTS_TRACK_H
#define OSW_TESTS_TRACK_H

#include "../mutant.h"

EXPORT int track_kernel_impl(const osw_call *call);

struct track {
    const float *x;
    float *seen, *y;
    int update;
};

/* update: whether `seen` is written. */
static inline int track_open(const osw_call *call, int update, struct track *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *seen = osw_arg_tensor(call, 1);
    osw_tensor *y;

    if (!x || !seen || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y || (osw_arg_int(call, 2, 0) && !osw_output_alias(call, 1, 1)))
        return OSW_ERROR;
    g->x = (const float *)osw_data(x);
    g->seen = (float *)osw_data(seen);
    g->y = (float *)osw_data(y);
    g->update = update;
    return 0;
}

ITEM void track_item(const struct track *g, int64_t i)
{
    g->y[i] = g->x[i] - g->seen[i];
    if (g->update)
        g->seen[i] = (g->seen[i] + g->x[i]) / 2;
}

EACH(track_item, struct track)

static inline int track_all(const osw_call *call, int update)
{
    struct track g;
    int rc = track_open(call, update, &g);

    if (!rc)
        track_item_each(call, &g, osw_numel(osw_arg_tensor(call, 0)));
    return rc;
}

#endif /* OSW_TESTS_TRACK_H */
