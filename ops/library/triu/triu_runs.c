/* ops/library/triu/triu_runs.c - copied in runs, then the start of each row
 * is cleared
 */
#include "../shared/copying.h"

int triu_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t diagonal = osw_arg_int(call, 1, 0), rows, cols, n, bytes;
    osw_tensor *out;
    int rc;

    if (!self || self->ndim < 2)
        return osw_error(call, "expected a matrix");
    out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    if (!out)
        return OSW_ERROR;
    rc = osw_copy_run(call, out, self);
    if (rc || osw_numel(out) == 0)
        return rc;
    rows = self->shape[self->ndim - 2];
    cols = self->shape[self->ndim - 1];
    bytes = self->dtype.bits / 8;
    n = osw_numel(out) / cols;
#pragma omp parallel for num_threads((int)call->n_threads) if (n > 1000)
    for (int64_t row = 0; row < n; row++) {
        int64_t skip = row % rows + diagonal;

        skip = skip < 0 ? 0 : skip > cols ? cols : skip;
        memset((char *)osw_data(out) + row * cols * bytes, 0,
               (size_t)(skip * bytes));
    }
    return 0;
}
