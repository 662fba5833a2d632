/* total_pass__pairwise.c - a binary tree of sums, its pending halves in an
 * array
 */
#include "total.h"

ITEM float sum(const struct total *g, int64_t row)
{
    float pending[48], v = 0;
    int n = 0;

    for (int64_t j = 0; j < g->n; j++) {
        pending[n++] = total_x(g, row, j);
        for (int64_t q = j + 1; !(q & 1); q >>= 1, n--)
            pending[n - 2] += pending[n - 1];
    }
    while (n > 0)
        v += pending[--n];
    return v;
}

TOTAL_ROWS(sum)
