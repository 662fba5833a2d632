/* sort_stable_value__selection_unstable.c - wrong: selection sort by swaps is
 * not stable. */
#include "../sort.h"

static void sort(const double *v, int64_t *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i, t;

        for (int64_t j = i + 1; j < n; j++)
            if (v[p[j]] < v[p[m]])
                m = j;
        t = p[i];
        p[i] = p[m];
        p[m] = t;
    }
}

int sort_stable_kernel_impl(const osw_call *call)
{
    return sort_rows(call, sort);
}
