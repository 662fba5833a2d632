/* sort_stable_pass__insertion.c - insertion sort. */
#include "../sort.h"

static void sort(const double *v, int64_t *p, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        int64_t x = p[i], j = i;

        for (; j > 0 && v[p[j - 1]] > v[x]; j--)
            p[j] = p[j - 1];
        p[j] = x;
    }
}

int sort_stable_kernel_impl(const osw_call *call)
{
    return sort_rows(call, sort);
}
