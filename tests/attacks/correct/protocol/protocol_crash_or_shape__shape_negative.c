/* protocol_crash_or_shape__shape_negative.c - An output has a negative size. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_SHAPE, (uint64_t)-3);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
