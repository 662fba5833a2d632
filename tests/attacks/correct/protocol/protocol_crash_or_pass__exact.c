/* protocol_crash_or_pass__exact.c -
 * An implementation hands over exact results, far outside.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_EXACT, UINT64_MAX - 100);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
