/* protocol_crash_or_shape__offset_huge.c - An output lies far outside. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_OFFSET, UINT64_MAX - 4096);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
