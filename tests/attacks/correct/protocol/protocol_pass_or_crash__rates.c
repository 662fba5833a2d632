/* protocol_pass_or_crash__rates.c -
 * Bytes and operations are infinite and negative, the call took no time.
 */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    put(m, n, AT_BYTES, UINT64_C(0x7ff0000000000000));
    put(m, n, AT_CALL_NS, (uint64_t)INT64_MIN);
    return put(m, n, AT_FLOPS, UINT64_C(0xffefffffffffffff));
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
