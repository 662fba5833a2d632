/* shared/weight_norm_plain.h - baselines: sums and results of a slice, in
 * double
 */
#ifndef OSW_LIBRARY_WEIGHT_NORM_PLAIN_H
#define OSW_LIBRARY_WEIGHT_NORM_PLAIN_H

#include "weight_norm.h"

/* Slice k of the result: a times that of x and b times that of v. */
static inline void osw_weight_norm_put(const struct osw_weight_norm *n,
                                       int64_t k, const struct osw_slices *x,
                                       double a, double b)
{
    for (int64_t i = 0; i < osw_weight_norm_size(n); i++)
        osw_set(n->w, osw_weight_norm_place(n, k, i),
                a * osw_weight_norm_get(x, k, i) +
                    b * osw_weight_norm_get(&n->v, k, i));
}

/* The product of slices k of v and x. */
static inline double osw_weight_norm_dot(const struct osw_weight_norm *n,
                                         int64_t k, const struct osw_slices *x)
{
    double sum = 0.0;

    for (int64_t i = 0; i < osw_weight_norm_size(n); i++)
        sum += osw_weight_norm_get(&n->v, k, i) * osw_weight_norm_get(x, k, i);
    return sum;
}

#endif /* OSW_LIBRARY_WEIGHT_NORM_PLAIN_H */
