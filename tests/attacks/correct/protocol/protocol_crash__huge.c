/* protocol_crash__huge.c - An answer is longer than the protocol allows. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    memset(m + n, 0, 200000 - n);
    return 200000;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
