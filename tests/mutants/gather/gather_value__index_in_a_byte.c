/* gather_value__index_in_a_byte.c - keeps eight bits of the index */
#include "gather.h"

ITEM int64_t row(const struct gather *g, int64_t i)
{
    return gather_index(g, i) & 0xff;
}

GATHER_ROWS(row)
