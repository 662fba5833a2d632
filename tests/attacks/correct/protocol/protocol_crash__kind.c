/* protocol_crash__kind.c - Results say that they are samples. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    m[0] = SAMPLES;
    return n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
