/* later_reference.c - It crashes in the second case. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int later_reference(const osw_call *call)
{
    if (osw_arg_tensor(call, 0)->shape[0] == 65)
        abort();
    return scale_exactly(call);
}
