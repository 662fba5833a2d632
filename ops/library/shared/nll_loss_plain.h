/* shared/nll_loss_plain.h - baselines: nll_loss.h row by row */
#ifndef OSW_LIBRARY_NLL_LOSS_PLAIN_H
#define OSW_LIBRARY_NLL_LOSS_PLAIN_H

#include "nll_loss.h"
#include "plain_rows.h"

/* Row by row, summed in double.  rc: what opening the arguments returned. */
static inline int osw_nll_loss_plain(const osw_call *call,
                                     const struct osw_nll_loss *l, int rc)
{
    double sum = 0.0, total = 0.0;
    int64_t row;

    if (rc)
        return rc;
    for (row = 0; row < l->n_rows; row++) {
        int64_t c = osw_nll_loss_class(l, row);
        double w = c < 0 ? 0.0 : osw_nll_loss_weight(l, c);
        double loss =
            c < 0 ? 0.0
                  : -w * osw_get(l->x, osw_nll_loss_at(l->n_classes, l->inner,
                                                       row, c));

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (l->per_row)
            osw_set(l->out, row, loss);
        sum += loss;
        total += w;
    }
    osw_set(l->out_weight, 0, l->per_row ? 0.0 : total);
    if (!l->per_row)
        osw_set(l->out, 0, l->reduction == OSW_NLL_MEAN ? sum / total : sum);
    return 0;
}

/* Zeros, then the one element of each row. */
static inline int osw_nll_loss_plain_back(const osw_call *call,
                                          const struct osw_nll_loss *l, int rc)
{
    double scale = 1.0;
    int64_t row;

    if (rc)
        return rc;
    if (l->reduction == OSW_NLL_MEAN)
        scale = 1.0 / osw_get(l->total_weight, 0);
    rc = osw_plain_fill(call, l->dx, 0.0);
    for (row = 0; !rc && row < l->n_rows; row++) {
        int64_t c = osw_nll_loss_class(l, row);
        double grad = osw_get(l->grad, l->per_row ? row : 0) * scale;

        if (c == -2)
            return osw_error(call, "target is out of range");
        if (c >= 0)
            osw_store(
                l->dx->dtype,
                osw_at(l->dx, osw_nll_loss_at(l->n_classes, l->inner, row, c)),
                -grad * osw_nll_loss_weight(l, c));
    }
    return rc;
}

#endif /* OSW_LIBRARY_NLL_LOSS_PLAIN_H */
