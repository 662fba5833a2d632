/* protocol_crash__kind_of_judge.c - The judge gets a request. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    m[0] = 3;
    return n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
