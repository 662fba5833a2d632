/* protocol_crash__outputs.c - More outputs than a message can hold. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_N_OUTPUTS, "\377\377\377\377", 4);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
