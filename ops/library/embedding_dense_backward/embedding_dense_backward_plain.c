/* ops/library/embedding_dense_backward/embedding_dense_backward_plain.c - one
 * row of the gradient after the other is added where its index points to
 */
#include "../shared/plain_picking.h"
#include "embedding_dense_backward.h"

/* Divide each row by the number of entries of the index that point to it. */
#define DIVIDE(name, T)                                                        \
    static void name(const struct osw_embedding_back *e, T *total,             \
                     const int64_t *count)                                     \
    {                                                                          \
        for (int64_t k = 0; k < e->n_weights; k++)                             \
            for (int64_t j = 0; count[k] && j < e->grad.n; j++)                \
                total[k * e->grad.n + j] /= (T)count[k];                       \
    }

DIVIDE(divide_float, float)
DIVIDE(divide_double, double)

static void scale(const struct osw_embedding_back *e,
                  const struct osw_plain_total *t, int64_t *count)
{
    memset(count, 0, (size_t)e->n_weights * 8);
    for (int64_t i = 0; i < e->grad.n_rows; i++)
        count[osw_plain_index(e->indices, i)]++;
    if (t->view.t.dtype.bits == 64)
        divide_double(e, (double *)osw_data(&t->view.t), count);
    else
        divide_float(e, (float *)osw_data(&t->view.t), count);
}

/* t, or a copy of it at `place` where it is not contiguous. */
static int dense(const osw_call *call, struct osw_view *v, const osw_tensor *t,
                 char *place)
{
    if (t->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_view_as(v, t, t->ndim, t->shape);
    if (osw_is_contiguous(t))
        return 0;
    v->t.data = place;
    v->t.byte_offset = 0;
    return osw_plain_copy(call, &v->t, t);
}

int embedding_dense_backward_kernel_impl(const osw_call *call)
{
    struct osw_embedding_back e = {0};
    struct osw_plain_total t;
    struct osw_factor one = {1.0, 1};
    struct osw_slices source;
    struct osw_view grad, rows;
    int64_t shape[2], bytes;
    int rc = osw_embedding_back_open(call, &e);

    if (rc)
        return rc;
    shape[0] = e.grad.n_rows;
    shape[1] = e.grad.n;
    bytes = (e.grad.n + e.n_weights) * 8;
    rc = osw_plain_total_open(call, &t, e.out,
                              (size_t)(bytes + osw_numel(e.grad.tensor) * 8));
    if (!rc)
        rc = dense(call, &grad, e.grad.tensor, t.scratch + bytes);
    if (rc)
        return rc;
    osw_view_as(&rows, &grad.t, 2, shape);
    source = osw_slices_of(&rows.t, 0);
    memset(osw_data(&t.view.t), 0,
           (size_t)(osw_numel(e.out) * (t.view.t.dtype.bits / 8)));
    rc = osw_plain_add_slices(call, &t, &source, e.indices, e.n_weights,
                              e.padding, one);
    if (rc)
        return rc;
    if (e.scale)
        scale(&e, &t, (int64_t *)(void *)t.scratch);
    return osw_plain_total_close(call, &t);
}
