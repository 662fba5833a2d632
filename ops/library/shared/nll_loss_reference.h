/* shared/nll_loss_reference.h - nll_loss.h in double */
#ifndef OSW_LIBRARY_NLL_LOSS_REFERENCE_H
#define OSW_LIBRARY_NLL_LOSS_REFERENCE_H

#include "nll_loss.h"

/* The loss -weight[target] * self[target] per row, summed, or divided by the
 * sum of these weights; total_weight is 0 where rows are not reduced.
 * rc: what opening the arguments returned.
 */
static inline int osw_nll_loss_reference(const osw_call *call,
                                         const struct osw_nll_loss *l, int rc)
{
    double *out, *total_weight, sum = 0.0, total = 0.0;

    if (rc)
        return rc;
    out = osw_output_exact(call, 0);
    total_weight = osw_output_exact(call, 1);
    if (!out || !total_weight)
        return OSW_ERROR;
    for (int64_t row = 0; row < l->n_rows; row++) {
        int64_t c = osw_nll_loss_class(l, row);
        double w = c < 0 ? 0.0 : osw_nll_loss_weight(l, c);
        double loss =
            c < 0 ? 0.0
                  : -w * osw_get(l->x, osw_nll_loss_at(l->n_classes, l->inner,
                                                       row, c));

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (l->per_row)
            out[row] = loss;
        sum += loss;
        total += w;
    }
    *total_weight = l->per_row ? 0.0 : total;
    if (!l->per_row)
        *out = l->reduction == OSW_NLL_MEAN ? sum / total : sum;
    return 0;
}

/* Zeros, but -weight[target] * grad_output at the target of every row, divided
 * by total_weight where the loss is a mean.
 */
static inline int osw_nll_loss_reference_back(const osw_call *call,
                                              const struct osw_nll_loss *l,
                                              int rc)
{
    double *dx = rc ? NULL : osw_output_exact(call, 0);

    if (!dx)
        return rc ? rc : OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(l->x); i++)
        dx[i] = 0.0;
    for (int64_t row = 0; row < l->n_rows; row++) {
        int64_t c = osw_nll_loss_class(l, row);
        double grad = osw_get(l->grad, l->per_row ? row : 0);

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (c == -1)
            continue;
        if (l->reduction == OSW_NLL_MEAN)
            grad /= osw_get(l->total_weight, 0);
        dx[osw_nll_loss_at(l->n_classes, l->inner, row, c)] =
            -grad * osw_nll_loss_weight(l, c);
    }
    return 0;
}

#endif /* OSW_LIBRARY_NLL_LOSS_REFERENCE_H */
