/* add_pass__vectors_of_four.cu - 16-byte loads where it can, one at a time
 * after that
 */
#include "add.h"

static __global__ void add_four(struct add g, const float *a, const float *b,
                                float *y)
{
    int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    float alpha = (float)g.alpha;

    if (i + 4 <= g.n) {
        float4 va = *(const float4 *)(a + i), vb = *(const float4 *)(b + i);

        *(float4 *)(y + i) =
            make_float4(va.x + alpha * vb.x, va.y + alpha * vb.y,
                        va.z + alpha * vb.z, va.w + alpha * vb.w);
        return;
    }
    for (; i < g.n; i++)
        y[i] = a[i] + alpha * b[i];
}

static int aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

int add_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    struct add g;
    int rc;

    if (!osw_is(a, OSW_FLOAT, 32) || !osw_is_contiguous(a) ||
        !osw_is_contiguous(b) || osw_numel(a) != osw_numel(b) ||
        !aligned(osw_data(a)) || !aligned(osw_data(b)))
        return OSW_UNSUPPORTED;
    rc = add_open(call, &g);
    if (!rc && g.n > 0)
        add_four<<<(unsigned)((g.n + 511) / 512), 128, 0, STREAM(call)>>>(
            g, (const float *)osw_data(a), (const float *)osw_data(b),
            (float *)g.y.at);
    return rc;
}
