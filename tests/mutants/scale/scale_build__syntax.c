/* scale_build__syntax.c - does not compile */
#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    return call->no_such_field;
}
