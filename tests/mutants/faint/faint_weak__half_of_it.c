/* faint_weak__half_of_it.c - half of what it should be */
#include "faint.h"

ITEM double element(double x)
{
    return 0.5e-7 * x;
}

FAINT_ELEMENTS(element)
