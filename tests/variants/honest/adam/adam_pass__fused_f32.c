/* adam_pass__fused_f32.c - one loop in float; moments move by differences. */
#include "../variants.h"

int adam_kernel_impl(const osw_call *call)
{
    osw_tensor *p = osw_output_alias(call, 0, 0),
               *m = osw_output_alias(call, 1, 1);
    osw_tensor *v = osw_output_alias(call, 2, 2);
    const float *g = osw_data(osw_arg_tensor(call, 3));
    double t = osw_arg_float(call, 4, 1.0);
    float rate = (float)(1e-3 / (1.0 - pow(0.9, t))),
          root = (float)sqrt(1.0 - pow(0.999, t));

    if (!p || !m || !v)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(p); i++) {
        float *mi = (float *)osw_data(m) + i, *vi = (float *)osw_data(v) + i;

        *mi += 0.1f * (g[i] - *mi);
        *vi = 0.999f * *vi + 0.001f * g[i] * g[i];
        ((float *)osw_data(p))[i] -= rate * *mi / (sqrtf(*vi) / root + 1e-8f);
    }
    return 0;
}
