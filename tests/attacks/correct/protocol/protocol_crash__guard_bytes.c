/* protocol_crash__guard_bytes.c - The guard of the workspace has no end. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    put(m, n, AT_GUARD, 0);
    return put(m, n, AT_GUARD_BYTES, UINT64_MAX);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
