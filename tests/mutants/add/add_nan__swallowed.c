/* add_nan__swallowed.c - zero where the sum is not a number */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    double sum = add_sum(g, i);

    return sum != sum ? 0.0 : sum;
}

ADD_ELEMENTS(element)
