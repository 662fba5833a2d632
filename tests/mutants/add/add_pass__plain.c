/* add_pass__plain.c - element by element */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    return add_sum(g, i);
}

ADD_ELEMENTS(element)
