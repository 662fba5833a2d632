/* roll - box by box, by a plain loop */
#include "../shared/plain_copy.h"
#include "roll.h"

int roll_kernel_impl(const osw_call *call)
{
    return roll_run(call, osw_plain_copy);
}
