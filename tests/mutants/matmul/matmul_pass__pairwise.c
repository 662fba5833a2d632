/* matmul_pass__pairwise.c - a binary tree of sums, its pending halves in an
 * array
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float pending[48], sum = 0;
    int n = 0;

    for (int64_t p = 0; p < g->k; p++) {
        pending[n++] = matmul_a(g, i, p) * matmul_b(g, p, j);
        for (int64_t q = p + 1; !(q & 1); q >>= 1, n--)
            pending[n - 2] += pending[n - 1];
    }
    while (n > 0)
        sum += pending[--n];
    return sum;
}

MATMUL_ELEMENTS(element)
