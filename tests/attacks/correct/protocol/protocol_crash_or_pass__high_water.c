/* protocol_crash_or_pass__high_water.c -
 * More of the zone was used than there is.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_HIGH_WATER, UINT64_C(1) << 60);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
