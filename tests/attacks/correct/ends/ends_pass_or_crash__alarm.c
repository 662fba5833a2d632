/* ends_pass_or_crash__alarm.c - An alarm goes off after the call. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    ualarm(200, 0);
    return scale(call);
}
