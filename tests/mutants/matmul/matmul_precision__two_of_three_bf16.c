/* matmul_precision__two_of_three_bf16.c - splits both factors in two numbers of
 * bfloat16, and leaves out a product of a high part and a low one
 */
#include "matmul.h"

ITEM float element(const struct matmul *g, int64_t i, int64_t j)
{
    float sum = 0;

    for (int64_t p = 0; p < g->k; p++) {
        float a = matmul_a(g, i, p), b = matmul_b(g, p, j);
        float high = as_bf16(a), low = as_bf16(a - high);

        sum += high * as_bf16(b) + low * as_bf16(b);
    }
    return sum;
}

MATMUL_ELEMENTS(element)
