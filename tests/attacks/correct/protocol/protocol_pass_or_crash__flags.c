/* protocol_pass_or_crash__flags.c - All flags of a result are set. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_LOST, "\1\1\1\1", 4);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
