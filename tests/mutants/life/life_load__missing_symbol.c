/* life_load__missing_symbol.c - calls a function that does not exist */
#include "life.h"

EXPORT int a_function_that_nobody_has(const osw_call *call);

int life_kernel_impl(const osw_call *call)
{
    return a_function_that_nobody_has(call);
}
