/* protocol_crash_or_shape_or_guard_or_value_or_async__stride_negative.c -
 * The stride of an output leads backwards.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_STRIDE, (uint64_t)-1);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
