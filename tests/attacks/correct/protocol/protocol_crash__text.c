/* protocol_crash__text.c - The message of a result has no end. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_TEXT, "\377\377", 2);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
