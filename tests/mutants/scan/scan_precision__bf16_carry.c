/* scan_precision__bf16_carry.c - what one block of 64 hands to the next is bf16
 *
 */
#include "scan.h"

ITEM void row(const struct scan *g, int64_t r)
{
    float carry = 0, sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        if (j % 64 == 0) {
            carry = as_bf16(carry + sum);
            sum = 0;
        }
        sum += scan_x(g, r, j);
        scan_set(g, r, j, (double)(carry + sum));
    }
}

SCAN_ROWS(row)
