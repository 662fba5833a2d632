/* protocol_crash_or_pass__norm.c -
 * An implementation hands over norms, far outside.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_NORM, UINT64_C(1) << 50);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
