/* add.Tensor - self + other by the obvious loop: contiguous, of one shape and
 * dtype */
#include <opsweep/elements.h>

#define LOOP(name, E, get, put)                                                \
    static void name(const E *a, const E *b, E *y, int64_t n)                  \
    {                                                                          \
        int64_t i;                                                             \
                                                                               \
        for (i = 0; i < n; i++)                                                \
            y[i] = put(get(a[i]) + get(b[i]));                                 \
    }

LOOP(loop_f32, float, , )
LOOP(loop_f16, uint16_t, osw_f16_to_f32, osw_f32_to_f16)
LOOP(loop_bf16, uint16_t, osw_bf16_to_f32, osw_f32_to_bf16)

int add__Tensor_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0), *b = osw_arg_tensor(call, 1);
    osw_tensor *y;

    if (!a || !b || !osw_is_contiguous(a) || !osw_is_contiguous(b) ||
        a->dtype.code != b->dtype.code || a->dtype.bits != b->dtype.bits ||
        a->ndim != b->ndim || osw_arg_float(call, 2, 1.0) != 1.0 ||
        memcmp(a->shape, b->shape, sizeof(int64_t) * (size_t)a->ndim))
        return OSW_UNSUPPORTED;
    if (!osw_is(a, OSW_FLOAT, 32) && a->dtype.bits != 16)
        return OSW_UNSUPPORTED;
    if (a->dtype.code != OSW_FLOAT && a->dtype.code != OSW_BFLOAT)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, a->dtype, a->ndim, a->shape, NULL);
    if (!y)
        return OSW_ERROR;
    if (a->dtype.bits == 32)
        loop_f32(osw_data(a), osw_data(b), osw_data(y), osw_numel(a));
    else if (a->dtype.code == OSW_FLOAT)
        loop_f16(osw_data(a), osw_data(b), osw_data(y), osw_numel(a));
    else
        loop_bf16(osw_data(a), osw_data(b), osw_data(y), osw_numel(a));
    return 0;
}
