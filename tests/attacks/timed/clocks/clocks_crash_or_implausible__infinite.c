/* clocks_crash_or_implausible__infinite.c - Samples that are infinite. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    float value = __builtin_inff();

    if (m[0] == SAMPLES)
        memcpy(m + n - 4, &value, 4);
    return n;
}

int clocks_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
