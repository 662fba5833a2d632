/* triu - copied in runs, then the start of each row is cleared */
#include "../shared/triangle_runs.h"

int triu_kernel_impl(const osw_call *call)
{
    return osw_triangle_runs(call, OSW_TRIANGLE_UPPER);
}
