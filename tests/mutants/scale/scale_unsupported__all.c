/* scale_unsupported__all.c - supports nothing */
#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    return OSW_UNSUPPORTED;
}
