/* protocol_crash__guard.c - The guard of the workspace lies far outside. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_GUARD, UINT64_MAX - 7);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
