/* life_crash__null.c - reads through a null pointer */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    volatile const float *p = NULL;

    (void)call;
    return (int)p[0];
}
