/* life_build__syntax.c - does not compile */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    return call->no_such_field;
}
