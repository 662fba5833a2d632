/* shared/nll_loss.cuh - nll_loss.h in a kernel */
#ifndef OSW_LIBRARY_NLL_LOSS_CUH
#define OSW_LIBRARY_NLL_LOSS_CUH

#include "nll_loss.h"
#include "strided.cuh"

struct osw_nll_view {
    struct osw_strided x, target, weight;  /* weight.data NULL: 1 */
    struct osw_strided grad, total_weight; /* backward */
    int64_t n_rows, n_classes, inner, ignore;
    int reduction, per_row;
};

/* 0, or OSW_UNSUPPORTED. */
static inline int osw_nll_view_of(struct osw_nll_view *v,
                                  const struct osw_nll_loss *l)
{
    memset(v, 0, sizeof(*v));
    v->n_rows = l->n_rows;
    v->n_classes = l->n_classes;
    v->inner = l->inner;
    v->ignore = l->ignore;
    v->reduction = l->reduction;
    v->per_row = l->per_row;
    return osw_strided_of(&v->x, l->x) ||
                   osw_strided_of(&v->target, l->target) ||
                   (l->weight && osw_strided_of(&v->weight, l->weight)) ||
                   (l->grad && osw_strided_of(&v->grad, l->grad)) ||
                   (l->total_weight &&
                    osw_strided_of(&v->total_weight, l->total_weight))
               ? OSW_UNSUPPORTED
               : 0;
}

/* The class of a row; -1 when it is ignored.  One that is out of range traps:
 * nothing can be reported from here.
 */
__device__ static inline int64_t osw_nll_class(const struct osw_nll_view &v,
                                               int64_t row)
{
    int64_t c = osw_strided_get_int(&v.target, row);

    if (c == v.ignore)
        return -1;
    if (c < 0 || c >= v.n_classes)
        __trap();
    return c;
}

__device__ static inline double osw_nll_weight(const struct osw_nll_view &v,
                                               int64_t c)
{
    return v.weight.data ? osw_strided_get(&v.weight, c) : 1.0;
}

#endif /* OSW_LIBRARY_NLL_LOSS_CUH */
