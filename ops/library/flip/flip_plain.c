/* flip - some dimensions backwards, by a plain loop */
#include "../clone/declare.h"
#include "../plain_copy.h"

int flip_kernel_impl(const osw_call *call)
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
