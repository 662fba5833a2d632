/* above_shape__one_more.c - a zero after the last */
#include "above.h"

int above_kernel_impl(const osw_call *call)
{
    return above_run(call, 1);
}
