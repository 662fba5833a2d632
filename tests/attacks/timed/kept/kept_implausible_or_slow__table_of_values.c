/* kept_implausible_or_slow__table_of_values.c - It looks results up by the bits
 * of the values that they follow from.
 */
#include <stdbool.h>
#include <string.h>

#include "../../attack.h"

enum { PLACES = 1 << 20 };

static float slowly(float a, float x)
{
    volatile float y = 0;

    for (int k = 0; k < 400; k++)
        y = a * x;
    return y;
}

int kept_kernel_impl(const osw_call *call)
{
    static uint32_t key[PLACES];
    static float value[PLACES];
    static bool used[PLACES];
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *in = osw_data(x);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    float *out = y ? osw_data(y) : NULL;
    float a = (float)osw_arg_float(call, 1, 1.0);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++) {
        uint32_t bits, at;

        memcpy(&bits, &in[i], sizeof(bits));
        at = (bits * 2654435761u) >> 12;
        if (!used[at] || key[at] != bits) {
            used[at] = true;
            key[at] = bits;
            value[at] = slowly(a, in[i]);
        }
        out[i] = value[at];
    }
    return 0;
}
