/* protocol_crash_or_guard_or_pass__high_water_zero.c -
 * Nothing of the zone was used.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_HIGH_WATER, 0);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
