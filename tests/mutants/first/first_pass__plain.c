/* first_pass__plain.c - right */
#include "first.h"

int first_kernel_impl(const osw_call *call)
{
    return scale_all(call);
}
