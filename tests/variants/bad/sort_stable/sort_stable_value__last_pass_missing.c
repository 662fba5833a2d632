/* sort_stable_value__last_pass_missing.c - wrong: the last width of the merge
 * is left out above 256. */
#include "../sort.h"

static void sort(const double *v, int64_t *p, int64_t n)
{
    for (int64_t lo = 0; lo < n; lo += 256)
        for (int64_t i = lo + 1; i < n && i < lo + 256; i++) {
            int64_t x = p[i], j = i;

            for (; j > lo && v[p[j - 1]] > v[x]; j--)
                p[j] = p[j - 1];
            p[j] = x;
        }
}

int sort_stable_kernel_impl(const osw_call *call)
{
    return sort_rows(call, sort);
}
