/* ngather/ngather_value__reversed.c - the last rank's first */
#include "ngather.h"

int ngather_kernel_impl(const osw_call *call)
{
    return ngather(call, osw_world(call) - 1, -1, 0);
}
