/* roll - box by box, a thread per element */
#include "../shared/plain_copy.cuh"
#include "roll.h"

extern "C" int roll_kernel_impl(const osw_call *call)
{
    return roll_run(call, osw_plain_copy);
}
