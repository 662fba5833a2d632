/* gather_pass__elements.c - element by element */
#include "gather.h"

ITEM int64_t row(const struct gather *g, int64_t i)
{
    return gather_index(g, i);
}

GATHER_ROWS(row)
