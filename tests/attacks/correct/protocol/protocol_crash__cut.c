/* protocol_crash__cut.c - Answers end in the middle. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    (void)m;
    return n / 2;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
