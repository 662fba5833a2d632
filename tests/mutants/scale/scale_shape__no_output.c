/* scale_shape__no_output.c - no output at all */
#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    return 0;
}
