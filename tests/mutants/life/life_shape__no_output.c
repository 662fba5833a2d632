/* life_shape__no_output.c - no output at all */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    (void)call;
    return 0;
}
