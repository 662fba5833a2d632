/* flip - some dimensions backwards */
#include "../plain_copy.cuh"

/* The output: as self. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_tensor *out = NULL;

    *rc = OSW_UNSUPPORTED;
    if (!self || self->dtype.bits < 8)
        return NULL;
    out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

extern "C" int flip_kernel_impl(const osw_call *call)
{
    struct osw_view from;
    int64_t dims[OSW_RULE_DIMS];
    int32_t n = osw_view_list(call, 1, dims, OSW_RULE_DIMS), i, d;
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    if (n < 0 || !osw_view_of(&from, osw_arg_tensor(call, 0)))
        return OSW_UNSUPPORTED;
    for (i = 0; i < n; i++) {
        d = osw_view_dim(dims[i], from.t.ndim);
        if (d < 0)
            return osw_error(call, "no such dimension to flip");
        osw_view_flip(&from, d);
    }
    return osw_plain_copy(call, out, &from.t);
}
