/* protocol_crash__longer.c - Answers have a byte more. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    m[n] = 0;
    return n + 1;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
