/* protocol_crash_or_shape_or_value_or_guard_or_unwritten_or_mutated_or_async__offset_other.c
 * - An output is said to lie elsewhere in the window.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put(m, n, AT_OFFSET, 4096);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
