/* protocol_crash_or_shape_or_pass_or_value__stride_huge.c -
 * The stride of an output leads far outside.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_STRIDE, UINT64_C(1) << 40);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
