/* faint_weak__zeros.c - zeros */
#include "faint.h"

ITEM double element(double x)
{
    return 0 * x;
}

FAINT_ELEMENTS(element)
