/* ops/library/embedding_dense_backward/embedding_dense_backward.h - (grad,
 * indices, num_weights, padding_idx, scale_grad_by_freq): rows of grad, added
 * up where they came from
 */
#ifndef OSW_LIBRARY_EMBEDDING_DENSE_BACKWARD_H
#define OSW_LIBRARY_EMBEDDING_DENSE_BACKWARD_H

#include "../shared/picking.h"

struct osw_embedding_back {
    struct osw_rows grad; /* a row for each index */
    const osw_tensor *indices;
    int64_t n_weights, padding; /* padding: an index that gets nothing */
    int scale;                  /* divide each row by the number of its terms */
    osw_tensor *out;            /* [n_weights, width] */
};

static inline int osw_embedding_back_open(const osw_call *call,
                                          struct osw_embedding_back *e)
{
    const osw_tensor *grad = osw_arg_tensor(call, 0);
    int64_t shape[2];

    e->indices = osw_arg_tensor(call, 1);
    e->n_weights = osw_arg_int(call, 2, 0);
    e->padding = osw_arg_int(call, 3, -1);
    e->scale = osw_arg_int(call, 4, 0) != 0;
    if (!grad || !e->indices || grad->ndim < 1 || e->n_weights < 0 ||
        !osw_picking_is_index(e->indices))
        return osw_error(call, "expected a gradient and integer indices");
    if (!osw_rows_is_float(grad))
        return OSW_UNSUPPORTED;
    e->grad = osw_rows_of(grad, grad->ndim - 1);
    if (e->grad.n_rows != osw_numel(e->indices))
        return osw_error(call, "expected a row of the gradient per index");
    shape[0] = e->n_weights;
    shape[1] = e->grad.n;
    e->out = osw_output(call, 0, grad->dtype, 2, shape, NULL);
    return e->out ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_EMBEDDING_DENSE_BACKWARD_H */
