/* shared/pair_loss.h - (self, target, ...): a loss of each pair of elements, as
 * they are (reduction 0), their mean (1) or their sum (2)
 */
#ifndef OSW_LIBRARY_PAIR_LOSS_H
#define OSW_LIBRARY_PAIR_LOSS_H

#include "views.h"

struct osw_pair_loss {
    const osw_tensor *a, *b; /* of one shape and dtype */
    osw_tensor *out;
    int each;       /* out has their shape, else it is one number */
    double divisor; /* of the sum */
    double width;   /* of the part around 0 that is a square, of some losses */
};

/* Declares the output; width_at: the argument's number, -1: not there.  0,
 * OSW_UNSUPPORTED or an error.
 */
static inline int osw_pair_loss_open(const osw_call *call,
                                     struct osw_pair_loss *l, int reduction_at,
                                     int width_at)
{
    int64_t reduction = osw_arg_int(call, reduction_at, 1);
    int same;

    l->a = osw_arg_tensor(call, 0);
    l->b = osw_arg_tensor(call, 1);
    if (!l->a || !l->b || osw_rule_category(l->a->dtype) != 2 ||
        !osw_rule_same(l->a->dtype, l->b->dtype) || l->a->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    same = l->a->ndim == l->b->ndim;
    for (int32_t d = 0; same && d < l->a->ndim; d++)
        same = l->a->shape[d] == l->b->shape[d];
    if (!same)
        return OSW_UNSUPPORTED;
    if (reduction < 0 || reduction > 2)
        return osw_error(call, "expected a reduction of 0, 1 or 2");
    l->each = reduction == 0;
    l->divisor = reduction == 1 ? (double)osw_numel(l->a) : 1.0;
    l->width = osw_arg_float(call, width_at, 1.0);
    l->out = osw_output(call, 0, l->a->dtype, l->each ? l->a->ndim : 0,
                        l->each ? l->a->shape : NULL, NULL);
    return l->out ? 0 : OSW_ERROR;
}

/* With weights, which are NULL so far, at the arguments from `at` on. */
static inline int osw_pair_loss_open_unweighted(const osw_call *call,
                                                struct osw_pair_loss *l, int at,
                                                int n)
{
    for (int i = at; i < at + n; i++)
        if (osw_arg_tensor(call, i))
            return OSW_UNSUPPORTED;
    return osw_pair_loss_open(call, l, at + n, -1);
}

/* --- the reference --- */

/* rc: what opening the arguments returned; of(a, b, width): the loss. */
static inline int osw_pair_loss_reference(const osw_call *call,
                                          const struct osw_pair_loss *l, int rc,
                                          double (*of)(double, double, double))
{
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    double *norm = exact && !l->each ? osw_output_norm(call, 0) : NULL;
    double sum = 0.0, squares = 0.0;
    int64_t n = rc ? 0 : osw_numel(l->a);

    if (!exact || (!norm && !l->each))
        return rc ? rc : OSW_ERROR;
    for (int64_t i = 0; i < n; i++) {
        double loss = of(osw_get(l->a, i), osw_get(l->b, i), l->width);

        if (l->each)
            exact[i] = loss;
        sum += loss;
        squares += loss * loss;
    }
    if (!l->each) {
        exact[0] = sum / l->divisor;
        norm[0] = sqrt(squares) / l->divisor;
    }
    return 0;
}

#endif /* OSW_LIBRARY_PAIR_LOSS_H */
