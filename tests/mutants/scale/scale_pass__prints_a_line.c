/* scale_pass__prints_a_line.c - right, and says so */
#include <stdio.h>

#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    static int calls;

    if (calls++ == 0)
        puts("scale: block of 128");
    return scale_all(call);
}
