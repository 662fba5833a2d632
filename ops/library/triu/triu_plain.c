/* triu - matrices, 0 below a diagonal: each row cleared up to there, the rest
 * copied
 */
#include "../shared/plain_copy.h"

int triu_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    int64_t diagonal = osw_arg_int(call, 1, 0), rows, cols, n, row, bytes;
    struct osw_plain_way w;
    osw_tensor *out;
    int threads;

    if (!self || self->ndim < 2)
        return osw_error(call, "expected a matrix");
    out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (!osw_plain_find_way(&w, out->dtype, self->dtype))
        return OSW_UNSUPPORTED;
    rows = self->shape[self->ndim - 2];
    cols = self->shape[self->ndim - 1];
    n = cols ? osw_numel(out) / cols : 0;
    bytes = out->dtype.bits / 8;
    threads = osw_plain_threads(call, n * cols);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (row = 0; row < n; row++) {
        int64_t skip = row % rows + diagonal;
        char *to = (char *)osw_at(out, row * cols);

        skip = skip < 0 ? 0 : skip > cols ? cols : skip;
        memset(to, 0, (size_t)(skip * bytes));
        if (skip < cols)
            osw_plain_copy_row(
                &w, to + skip * bytes, 1,
                osw_at(self, osw_offset(self, row * cols + skip)),
                self->strides[self->ndim - 1], cols - skip);
    }
    return 0;
}
