/* add_value__integers_through_float.c - adds integers in f32, which holds 24
 * bits of them
 */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    return (double)((float)add_a(g, i) + (float)(g->alpha * add_b(g, i)));
}

ADD_ELEMENTS(element)
