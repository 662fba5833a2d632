/* ends_crash__abort.c - abort() in the call. */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    abort();
    return scale(call);
}
