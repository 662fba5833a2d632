/* gather_mutated__sorted_index.c - sorts the index in place for better locality
 *
 */
#include "gather.h"

ITEM void copy(const struct gather *g, int64_t at)
{
    gather_right(g, at);
}

EACH(copy, struct gather)

ITEM void sort(const struct gather *g, int64_t once)
{
    int64_t *v = (int64_t *)g->index.at;

    (void)once;
    for (int64_t i = 1; i < g->n; i++)
        for (int64_t j = i; j > 0 && v[j - 1] > v[j]; j--) {
            int64_t t = v[j];

            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}

EACH(sort, struct gather)

int gather_kernel_impl(const osw_call *call)
{
    struct gather g;
    int rc = gather_open(call, &g);

    if (!rc && g.index.dtype.bits != 64)
        return OSW_UNSUPPORTED;
    if (!rc) {
        copy_each(call, &g, g.n * g.d);
        sort_each(call, &g, 1);
    }
    return rc;
}
