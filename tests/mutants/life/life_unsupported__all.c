/* life_unsupported__all.c - supports nothing */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    (void)call;
    return OSW_UNSUPPORTED;
}
