/* scale_pass__slow.c - right, and waits a millisecond */
#include <unistd.h>

#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    usleep(1000);
    return scale_all(call);
}
