/* matmul_pass__double.c - sums in double, rounds once */
#include "matmul.h"

ITEM double element(const struct matmul *g, int64_t i, int64_t j)
{
    double sum = 0;

    for (int64_t p = 0; p < g->k; p++)
        sum += (double)matmul_a(g, i, p) * (double)matmul_b(g, p, j);
    return sum;
}

MATMUL_ELEMENTS(element)
