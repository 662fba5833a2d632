/* scale_crash__abort.c - aborts on its third call */
#include <stdlib.h>

#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    static int calls;

    if (++calls == 3)
        abort();
    return scale_all(call);
}
