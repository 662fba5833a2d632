/* any - is any element not 0?  Stops at the first block that has one. */
#include "../shared/runs.h"

#define BLOCK 2048

/* A single truth, as a u8 where self is u8. */
static osw_tensor *declare(const osw_call *call, int *rc)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_dtype t = osw_rule_dtype(OSW_BOOL, 8);
    osw_tensor *out;

    *rc = OSW_UNSUPPORTED;
    if (!self || osw_rule_category(self->dtype) < 0)
        return NULL;
    if (osw_is(self, OSW_UINT, 8))
        t = self->dtype;
    out = osw_output(call, 0, t, 0, NULL, NULL);
    *rc = out ? 0 : OSW_ERROR;
    return out;
}

static int any_of(const double *x, int64_t n)
{
    int found = 0;
    int64_t i;

    for (i = 0; i < n; i++)
        found |= x[i] != 0.0;
    return found;
}

int any_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    struct osw_run_view view;
    double block[BLOCK];
    int64_t n, at;
    int rc, found = 0;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    if (self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    n = osw_numel(self);
    osw_run_view_of(&view, self, self->ndim, self->shape);
    for (at = 0; at < n && !found; at += BLOCK) {
        int64_t m = n - at < BLOCK ? n - at : BLOCK;

        osw_run_move(&view, at, m,
                     osw_run_row_of(self->dtype)->read[OSW_RUN_DOUBLE], 0,
                     (char *)block, sizeof(double));
        found = any_of(block, m);
    }
    *(uint8_t *)osw_data(out) = (uint8_t)found;
    return 0;
}
