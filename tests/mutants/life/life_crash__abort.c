/* life_crash__abort.c - aborts on its third call */
#include <stdlib.h>

#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    static int calls;

    if (++calls == 3)
        abort();
    return scale_all(call);
}
