/* scale_pass__plain.c - right */
#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    return scale_all(call);
}
