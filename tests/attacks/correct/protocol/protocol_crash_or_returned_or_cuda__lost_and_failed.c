/* protocol_crash_or_returned_or_cuda__lost_and_failed.c -
 * The device is said to be lost by a call that failed.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    put_bytes(m, n, AT_LOST, "\1", 1);
    put_bytes(m, n, AT_CODE, "\2", 1);
    return put_bytes(m, n, AT_CODE + 4, "\1", 1);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
