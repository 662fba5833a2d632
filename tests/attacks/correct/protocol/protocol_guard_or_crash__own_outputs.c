/* protocol_guard_or_crash__own_outputs.c -
 * It says that it makes its outputs itself, as code in Python does, so that
 * writing beyond their ends might not be looked for.
 */

#include "../../answer.h"

enum { LOADED = 65, AT_OWN_OUTPUTS = 6 };

static size_t edit(unsigned char *m, size_t n)
{
    if (m[0] == LOADED)
        m[AT_OWN_OUTPUTS] = 1;
    return n;
}

__attribute__((constructor)) static void begin(void)
{
    edit_answers(edit);
}

int protocol_kernel_impl(const osw_call *call)
{
    float *y = NULL;
    int64_t n = 0;
    int code = scale_into(call, &y, &n);

    if (!code)
        y[n + 2] = 1.0F;
    return code;
}
