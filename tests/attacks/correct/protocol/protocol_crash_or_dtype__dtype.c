/* protocol_crash_or_dtype__dtype.c - A dtype that there is not. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_DTYPE, "\372", 1);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
