/* tally.h - what the implementations of this op share: how many elements are
 * above 0, wherever they are
 */
#ifndef OSW_TESTS_TALLY_H
#define OSW_TESTS_TALLY_H

#include "../mutant.h"

EXPORT int tally_kernel_impl(const osw_call *call);

struct tally {
    struct view x, y; /* [...], [] */
    int64_t n;
};

static inline int tally_open(const osw_call *call, struct tally *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_dtype i64 = {OSW_INT, 64, 1};
    osw_tensor *y;

    if (!x || x->ndim > VIEW_DIMS)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, i64, 0, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    g->x = view_of(x);
    g->y = view_of(y);
    g->n = osw_numel(x);
    return 0;
}

ITEM int64_t tally_right(const struct tally *g)
{
    int64_t count = 0;

    for (int64_t i = 0; i < g->n; i++)
        count += view_get(&g->x, i) > 0;
    return count;
}

ITEM void tally_set(const struct tally *g, int64_t count)
{
    memcpy(g->y.at, &count, sizeof(count));
}

/* An implementation from what happens once: void all(g, i). */
#define TALLY(all)                                                             \
    EACH(all, struct tally)                                                    \
    int tally_kernel_impl(const osw_call *call)                                \
    {                                                                          \
        struct tally g;                                                        \
        int rc = tally_open(call, &g);                                         \
                                                                               \
        if (!rc)                                                               \
            all##_each(call, &g, 1);                                           \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_TALLY_H */
