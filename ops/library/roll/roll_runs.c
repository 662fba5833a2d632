/* roll - box by box, in runs */
#include "../shared/copying.h"
#include "roll.h"

int roll_kernel_impl(const osw_call *call)
{
    return roll_run(call, osw_copy_run);
}
