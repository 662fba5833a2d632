/* claims_implausible_or_crash_or_timeout__zero.c - Samples of no time at all.
 * The judge asks for more and more.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    float value = 0.0F;

    if (m[0] == SAMPLES)
        memcpy(m + n - 4, &value, 4);
    return n;
}

int claims_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
