/* protocol_crash_or_shape_or_value_or_guard_or_unwritten_or_async__offset_odd.c
 * - An output is said to lie at an odd address.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    uint64_t at;

    if (!part(m, n, 0))
        return n;
    memcpy(&at, part(m, n, 0) + AT_OFFSET, sizeof(at));
    return put(m, n, AT_OFFSET, at + 1);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
