/* life_oom__workspace.c - asks for a workspace of 64 TiB */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    return osw_workspace(call, (size_t)1 << 46) ? 0 : OSW_ERROR;
}
