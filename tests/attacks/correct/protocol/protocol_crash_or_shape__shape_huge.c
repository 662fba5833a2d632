/* protocol_crash_or_shape__shape_huge.c - An output has 2^62 elements. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_SHAPE, UINT64_C(1) << 62);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
