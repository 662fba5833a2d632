/* matmul_pass__kahan.c - compensated sums */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0, lost = 0;

    for (int64_t p = 0; p < g->k; p++) {
        float term = matmul_a(g, i, p) * matmul_b(g, p, j) - lost;
        float next = sum + term;

        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

MATMUL_ELEMENTS(element)
