/* protocol_crash__last_byte.c - The last byte of an answer is missing. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    (void)m;
    return n - 1;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
