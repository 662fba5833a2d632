/* writes_too_reference.c - It writes to its input. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int writes_too_reference(const osw_call *call)
{
    int code = scale_exactly(call);

    ((float *)osw_data(osw_arg_tensor(call, 0)))[0] = 42.0F;
    return code;
}
