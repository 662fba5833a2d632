/* sort_stable_pass__merge.c - merge sort from below. */
#include "../sort.h"

static void sort(const double *v, int64_t *p, int64_t n)
{
    int64_t *t = memory(n, 8);

    for (int64_t w = 1; w < n; w *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * w) {
            int64_t mid = lo + w < n ? lo + w : n,
                    hi = lo + 2 * w < n ? lo + 2 * w : n;
            int64_t i = lo, j = mid;

            for (int64_t k = lo; k < hi; k++)
                t[k] = i < mid && (j >= hi || v[p[i]] <= v[p[j]]) ? p[i++]
                                                                  : p[j++];
        }
        memcpy(p, t, (size_t)n * 8);
    }
    free(t);
}

int sort_stable_kernel_impl(const osw_call *call)
{
    return sort_rows(call, sort);
}
