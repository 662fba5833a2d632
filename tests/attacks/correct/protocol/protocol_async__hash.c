/* protocol_async__hash.c - The hash is forged. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_HASH, UINT64_C(0x0123456789abcdef));
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
