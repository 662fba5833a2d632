/* protocol_pass_or_crash__lost.c -
 * The device is said to be lost, although the call was right.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_LOST, "\1", 1);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
