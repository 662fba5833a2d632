/* add_pass__with_meta_and_work.c - tells its outputs and its work beforehand */
#include "add.h"

EXPORT int add_meta(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    int64_t shape[VIEW_DIMS];
    int32_t ndim = add_shape(a, b, shape);

    return osw_output(call, 0, a->dtype, ndim, shape, NULL) ? 0 : OSW_ERROR;
}

EXPORT int add_work(const osw_call *call, osw_work *work)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    int64_t shape[VIEW_DIMS];
    int32_t ndim = add_shape(a, b, shape);
    double n = 1;

    for (int32_t d = 0; d < ndim; d++)
        n *= (double)shape[d];
    work->flops = 2 * n;
    work->bytes =
        (n + (double)osw_numel(a) + (double)osw_numel(b)) * a->dtype.bits / 8;
    return 0;
}

ITEM double element(const struct add *g, int64_t i)
{
    return add_sum(g, i);
}

ADD_ELEMENTS(element)
