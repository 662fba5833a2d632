/* protocol_crash_or_shape_or_value__stride_zero.c -
 * All elements of an output are said to be one.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_STRIDE, 0);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
