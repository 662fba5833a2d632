/* faint_weak__other_sign.c - the right magnitude with the wrong sign */
#include "faint.h"

ITEM double element(double x)
{
    return -1e-7 * x;
}

FAINT_ELEMENTS(element)
