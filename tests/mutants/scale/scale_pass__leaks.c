/* scale_pass__leaks.c - right, and loses 64 KiB of host memory with every call
 *
 */
#include <stdlib.h>

#include "scale.h"

enum { LOST = 1 << 16 };

int scale_kernel_impl(const osw_call *call)
{
    volatile char *lost = (volatile char *)malloc(LOST);

    if (!lost)
        return OSW_ERROR;
    lost[0] = 1;
    return scale_all(call);
}
