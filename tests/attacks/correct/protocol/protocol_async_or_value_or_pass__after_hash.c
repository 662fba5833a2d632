/* protocol_async_or_value_or_pass__after_hash.c -
 * The output changes between the hash and the answer.
 */

#include "../../answer.h"

static float *y;

static size_t edit(unsigned char *m, size_t n)
{
    (void)m;
    if (y)
        y[3] += 1.0F;
    y = NULL;
    return n;
}

int protocol_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale_into(call, &y, NULL);
}
