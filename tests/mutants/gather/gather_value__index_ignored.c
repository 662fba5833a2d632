/* gather_value__index_ignored.c - the first rows, in their order */
#include "gather.h"

ITEM int64_t row(const struct gather *g, int64_t i)
{
    return i % g->rows;
}

GATHER_ROWS(row)
