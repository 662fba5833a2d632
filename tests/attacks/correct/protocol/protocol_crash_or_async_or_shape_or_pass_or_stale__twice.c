/* protocol_crash_or_async_or_shape_or_pass_or_stale__twice.c -
 * Every answer is given twice.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    say(m, n);
    return n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
