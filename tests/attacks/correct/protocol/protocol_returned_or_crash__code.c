/* protocol_returned_or_crash__code.c -
 * The code of a result is the smallest there is.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    return put_bytes(m, n, AT_CODE, "\0\0\0\200", 4);
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
