/* protocol_timeout__never.c - No answer is given at all. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    (void)m;
    (void)n;
    return 0;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
