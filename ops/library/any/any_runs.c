/* any - is any element not 0?  Stops at the first block that has one. */
#include "../shared/runs.h"
#include "any.h"

#define BLOCK 2048

static int has_other(const double *x, int64_t n)
{
    int found = 0;

    for (int64_t i = 0; i < n; i++)
        found |= x[i] != 0.0;
    return found;
}

int any_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    struct osw_run_view view;
    double block[BLOCK];
    int rc = osw_any_open(call, &a), found = 0;

    if (rc)
        return rc;
    if (a.self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_run_view_of(&view, a.self, a.self->ndim, a.self->shape);
    for (int64_t at = 0, n = osw_numel(a.self); at < n && !found; at += BLOCK) {
        int64_t m = n - at < BLOCK ? n - at : BLOCK;

        osw_run_move(&view, at, m,
                     osw_run_row_of(a.self->dtype)->read[OSW_RUN_DOUBLE], 0,
                     (char *)block, sizeof(double));
        found = has_other(block, m);
    }
    *(uint8_t *)osw_data(a.out) = (uint8_t)found;
    return 0;
}
