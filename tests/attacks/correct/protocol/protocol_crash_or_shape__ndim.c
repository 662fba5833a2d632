/* protocol_crash_or_shape__ndim.c - An output of 255 dimensions. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_NDIM, "\377", 1);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
