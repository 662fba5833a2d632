/* add_inplace_pass__backward_fma.c - from the end, with fused multiply-adds, by
 * threads. */
#include "../variants.h"

int add_inplace_kernel_impl(const osw_call *call)
{
    const osw_tensor *y = osw_arg_tensor(call, 1);
    osw_tensor *x = osw_output_alias(call, 0, 0);
    double alpha = osw_arg_float(call, 2, 1.0);

    if (!x)
        return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads) schedule(static, 512)
    for (int64_t j = 0; j < osw_numel(x); j++) {
        int64_t i = osw_numel(x) - 1 - j;

        osw_set(x, i,
                fma(alpha,
                    osw_load(y->dtype,
                             osw_at(y, osw_offset_in(y, x->ndim, x->shape, i))),
                    osw_get(x, i)));
    }
    return 0;
}
