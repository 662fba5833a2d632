/* ngather/ngather_pass__by_rank.c - honest */
#include "ngather.h"

int ngather_kernel_impl(const osw_call *call)
{
    return ngather(call, 0, 1, 0);
}
