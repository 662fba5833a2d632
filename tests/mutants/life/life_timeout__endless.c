/* life_timeout__endless.c - never returns */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    (void)call;
    for (volatile int i = 0;; i++)
        ;
}
