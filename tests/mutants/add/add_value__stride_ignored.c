/* add_value__stride_ignored.c - reads a as if it lay without gaps */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    return osw_load(g->a.dtype, view_at(&g->a, i)) + g->alpha * add_b(g, i);
}

ADD_ELEMENTS(element)
