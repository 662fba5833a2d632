/* hang_reference.c - It hangs in the second case. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int hang_reference(const osw_call *call)
{
    while (osw_arg_tensor(call, 0)->shape[0] == 65)
        sleep_ms(100);
    return scale_exactly(call);
}
