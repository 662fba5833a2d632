/* scale__pass__plain.c - one element after the other */
#include "scale_.h"

int scale__kernel_impl(const osw_call *call)
{
    return scale_all(call);
}
