/* above_pass__counted.c - counts, then chooses */
#include "above.h"

int above_kernel_impl(const osw_call *call)
{
    return above_run(call, 0);
}
