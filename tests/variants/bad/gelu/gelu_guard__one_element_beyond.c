/* gelu_guard__one_element_beyond.c - wrong: writes in groups of four, so beyond
 * the end of odd sizes. */
#include "../gelu.h"

int gelu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);
    int64_t n = osw_numel(x);

    if (!out || !osw_is(x, OSW_FLOAT, 32))
        return OSW_UNSUPPORTED;
    for (int64_t i = 0; i < (n + 3) / 4 * 4; i++) {
        float v = i < n ? (float)osw_get(x, i) : 0.0f;

        ((float *)osw_data(out))[i] = 0.5f * v * erfcf(-v * 0.707106781f);
    }
    return 0;
}
