/* ops/library/embedding_dense_backward/embedding_dense_backward_reference.c -
 * out[indices[i]] += grad[i], in double
 */
#include "embedding_dense_backward.h"

#include <math.h>

int embedding_dense_backward_meta(const osw_call *call)
{
    struct osw_embedding_back e = {0};

    return osw_embedding_back_open(call, &e);
}

int embedding_dense_backward_reference(const osw_call *call)
{
    struct osw_embedding_back e = {0};
    int rc = osw_embedding_back_open(call, &e);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    int64_t *count;

    if (!exact)
        return rc ? rc : OSW_ERROR;
    count = (int64_t *)osw_workspace(call, (size_t)e.n_weights * 8 + 8);
    if (!count)
        return OSW_ERROR;
    if (!osw_picking_in_range(e.indices, e.n_weights))
        return osw_error(call, "index is out of range");
    memset(count, 0, (size_t)e.n_weights * 8);
    for (int64_t i = 0; i < osw_numel(e.out); i++) {
        exact[i] = 0.0;
        if (norm)
            norm[i] = 0.0;
    }
    for (int64_t i = 0; i < e.grad.n_rows; i++)
        count[osw_get_int(e.indices, i)]++;
    for (int64_t i = 0; i < e.grad.n_rows; i++) {
        int64_t k = osw_get_int(e.indices, i);
        int64_t at = osw_rows_offset(&e.grad, i);
        double scale = e.scale ? 1.0 / (double)count[k] : 1.0;

        if (k == e.padding)
            continue;
        for (int64_t j = 0; j < e.grad.n; j++) {
            double term = scale * osw_rows_get(&e.grad, at, j);

            exact[k * e.grad.n + j] += term;
            if (norm)
                norm[k * e.grad.n + j] += term * term;
        }
    }
    for (int64_t i = 0; norm && i < osw_numel(e.out); i++)
        norm[i] = sqrt(norm[i]);
    return 0;
}
