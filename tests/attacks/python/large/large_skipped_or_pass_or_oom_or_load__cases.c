/* large_skipped_or_pass_or_oom_or_load__cases.c - The honest neighbour. */

#include "../../attack.h"

int large_kernel_impl(const osw_call *call)
{
    return scale(call);
}
