/* ops/library/mse_loss/mse_loss.h - (self, target, reduction): squares of
 * differences, each (0), their mean (1) or their sum (2)
 */
#ifndef OSW_LIBRARY_MSE_LOSS_H
#define OSW_LIBRARY_MSE_LOSS_H

#include "../shared/views.h"

struct osw_mse {
    const osw_tensor *a, *b; /* of one shape and dtype */
    osw_tensor *out;
    int each;       /* out has their shape, else it is one number */
    double divisor; /* of the sum */
};

/* Declares the output.  0, OSW_UNSUPPORTED or an error. */
static inline int osw_mse_open(const osw_call *call, struct osw_mse *m)
{
    int64_t reduction = osw_arg_int(call, 2, 1);
    int same;

    m->a = osw_arg_tensor(call, 0);
    m->b = osw_arg_tensor(call, 1);
    if (!m->a || !m->b || osw_rule_category(m->a->dtype) != 2 ||
        !osw_rule_same(m->a->dtype, m->b->dtype) || m->a->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    same = m->a->ndim == m->b->ndim;
    for (int32_t d = 0; same && d < m->a->ndim; d++)
        same = m->a->shape[d] == m->b->shape[d];
    if (!same)
        return OSW_UNSUPPORTED;
    if (reduction < 0 || reduction > 2)
        return osw_error(call, "expected a reduction of 0, 1 or 2");
    m->each = reduction == 0;
    m->divisor = reduction == 1 ? (double)osw_numel(m->a) : 1.0;
    m->out = osw_output(call, 0, m->a->dtype, m->each ? m->a->ndim : 0,
                        m->each ? m->a->shape : NULL, NULL);
    return m->out ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_MSE_LOSS_H */
