/* gather_value__index_minus_one.c - counts from one */
#include "gather.h"

ITEM int64_t row(const struct gather *g, int64_t i)
{
    int64_t from = gather_index(g, i);

    return from > 0 ? from - 1 : 0;
}

GATHER_ROWS(row)
