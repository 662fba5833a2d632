/* shared/nll_loss.h - arguments of nll_loss_forward, nll_loss2d_forward and
 * their backwards
 *
 * Row i of self [n_rows, n_classes] is picked at column target[i], times the
 * weight of that class.  A vector [n_classes] is one row, and is then reduced
 * whatever `reduction` says.  Of images [n, n_classes, y, x] each pixel is a
 * row; its classes lie `inner` elements apart.
 */
#ifndef OSW_LIBRARY_NLL_LOSS_H
#define OSW_LIBRARY_NLL_LOSS_H

#include "rows.h"

#include <math.h>

enum { OSW_NLL_NONE = 0, OSW_NLL_MEAN = 1, OSW_NLL_SUM = 2 };

struct osw_nll_loss {
    const osw_tensor *x;      /* self */
    const osw_tensor *target; /* integers */
    const osw_tensor *weight; /* [n_classes]; NULL: 1 */
    int64_t n_rows, n_classes, inner, ignore;
    int reduction;
    int per_row; /* the loss has an element per row */
    /* forward */
    osw_tensor *out, *out_weight;
    /* backward */
    const osw_tensor *grad, *total_weight;
    osw_tensor *dx;
};

/* (self, target, weight, reduction, ignore_index) from argument `first` on */
static inline int osw_nll_loss_common(const osw_call *call,
                                      struct osw_nll_loss *l, int first,
                                      int images)
{
    int32_t of_classes;

    l->x = osw_arg_tensor(call, first);
    l->target = osw_arg_tensor(call, first + 1);
    l->weight = osw_arg_tensor(call, first + 2);
    l->reduction = (int)osw_arg_int(call, first + 3, OSW_NLL_MEAN);
    l->ignore = osw_arg_int(call, first + 4, -100);
    if (!l->x || !l->target || l->x->ndim < (images ? 4 : 1) ||
        l->x->ndim > (images ? 4 : 2))
        return osw_error(call, images ? "expected self of four dimensions"
                                      : "expected self of one or two "
                                        "dimensions");
    if (!osw_rows_is_float(l->x) || l->target->dtype.code == OSW_FLOAT)
        return OSW_UNSUPPORTED;
    of_classes = l->x->ndim > 1;
    l->inner = images ? l->x->shape[2] * l->x->shape[3] : 1;
    l->n_rows = (l->x->ndim > 1 ? l->x->shape[0] : 1) * l->inner;
    l->n_classes = l->x->shape[of_classes];
    if (osw_numel(l->target) != l->n_rows ||
        (l->weight && osw_numel(l->weight) != l->n_classes))
        return osw_error(call, "target or weight does not fit self");
    if (l->reduction < OSW_NLL_NONE || l->reduction > OSW_NLL_SUM)
        return osw_error(call, "expected a reduction of 0, 1 or 2");
    l->per_row = l->reduction == OSW_NLL_NONE && l->x->ndim > 1;
    return 0;
}

/* -> (output, total_weight) */
static inline int osw_nll_loss_open(const osw_call *call,
                                    struct osw_nll_loss *l, int images)
{
    int rc = osw_nll_loss_common(call, l, 0, images);
    const int64_t *shape = images && l->target ? l->target->shape : &l->n_rows;

    if (rc)
        return rc;
    l->out = osw_output(call, 0, l->x->dtype, l->per_row ? l->target->ndim : 0,
                        shape, NULL);
    l->out_weight = osw_output(call, 1, l->x->dtype, 0, &l->n_rows, NULL);
    return l->out && l->out_weight ? 0 : OSW_ERROR;
}

/* (grad_output, self, target, weight, reduction, ignore_index, total_weight) */
static inline int osw_nll_loss_open_backward(const osw_call *call,
                                             struct osw_nll_loss *l, int images)
{
    int rc = osw_nll_loss_common(call, l, 1, images);

    if (rc)
        return rc;
    l->grad = osw_arg_tensor(call, 0);
    l->total_weight = osw_arg_tensor(call, 6);
    if (!l->grad || !l->total_weight ||
        osw_numel(l->grad) != (l->per_row ? l->n_rows : 1) ||
        osw_numel(l->total_weight) != 1)
        return osw_error(call, "grad_output or total_weight is misshapen");
    l->dx = osw_output(call, 0, l->x->dtype, l->x->ndim, l->x->shape, NULL);
    return l->dx ? 0 : OSW_ERROR;
}

/* Which element of self is class c of a row, in row-major order. */
OSW_HD static inline int64_t osw_nll_loss_at(int64_t n_classes, int64_t inner,
                                             int64_t row, int64_t c)
{
    return (row / inner * n_classes + c) * inner + row % inner;
}

/* The class of a row; -1 when it is ignored; -2 when there is none such. */
static inline int64_t osw_nll_loss_class(const struct osw_nll_loss *l,
                                         int64_t row)
{
    int64_t c = osw_get_int(l->target, row);

    if (c == l->ignore)
        return -1;
    return c >= 0 && c < l->n_classes ? c : -2;
}

static inline double osw_nll_loss_weight(const struct osw_nll_loss *l,
                                         int64_t c)
{
    return l->weight ? osw_get(l->weight, c) : 1.0;
}

#endif /* OSW_LIBRARY_NLL_LOSS_H */
