/* largest_value__in_f16.c - of numbers that were rounded to f16 */
#include "largest.h"

ITEM float key(const struct largest *g, int64_t row, int64_t j)
{
    return as_f16(largest_x(g, row, j));
}

LARGEST_ROWS(key)
