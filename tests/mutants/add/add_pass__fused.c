/* add_pass__fused.c - fma in f32 for what f32 holds, integers as integers */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    if (g->a.dtype.code == OSW_INT)
        return add_sum(g, i);
    return (double)fmaf((float)g->alpha, (float)add_b(g, i),
                        (float)add_a(g, i));
}

ADD_ELEMENTS(element)
