/* sort_stable_pass__bitonic_with_places.c - odd-even transposition; places
 * break ties, so the order is that of a stable sort.
 */
#include "../sort.h"

static void sort(const double *v, int64_t *p, int64_t n)
{
    for (int64_t pass = 0; pass < n; pass++)
        for (int64_t i = pass % 2; i + 1 < n; i += 2) {
            int64_t a = p[i], b = p[i + 1];

            if (v[a] > v[b] || (v[a] == v[b] && a > b)) {
                p[i] = b;
                p[i + 1] = a;
            }
        }
}

int sort_stable_kernel_impl(const osw_call *call)
{
    return sort_rows(call, sort);
}
