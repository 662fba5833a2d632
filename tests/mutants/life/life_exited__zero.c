/* life_exited__zero.c - exits as if all were well */
#include <stdlib.h>

#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    scale_all(call);
    exit(0);
}
