/* ngather/ngather_value__from_own_rank_on.c - each rank begins with its own */
#include "ngather.h"

int ngather_kernel_impl(const osw_call *call)
{
    return ngather(call, osw_world(call) - osw_rank(call), 1, 0);
}
