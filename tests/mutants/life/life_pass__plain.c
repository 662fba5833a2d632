/* life_pass__plain.c - right */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    return scale_all(call);
}
