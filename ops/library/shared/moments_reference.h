/* shared/moments_reference.h - the mean, then the squares around it, in double
 */
#ifndef OSW_LIBRARY_MOMENTS_REFERENCE_H
#define OSW_LIBRARY_MOMENTS_REFERENCE_H

#include "moments.h"

/* Element i of those that give output k. */
static inline double osw_moments_get(const struct osw_moments *v, int64_t k,
                                     int64_t i)
{
    return osw_load(v->x->dtype,
                    osw_at(v->x, osw_reduce_offset(&v->kept, k) +
                                     osw_reduce_offset(&v->summed, i)));
}

/* rc: what opening the arguments returned. */
static inline int osw_moments_reference(const osw_call *call,
                                        const struct osw_moments *v, int rc)
{
    double *vars = rc ? NULL : osw_output_exact(call, 0);
    double *means = rc || !v->mean ? NULL : osw_output_exact(call, 1);

    if (!vars || (v->mean && !means))
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t k = 0; k < v->kept.numel; k++) {
        double sum = 0.0, squares = 0.0, mean;

        for (int64_t i = 0; i < v->summed.numel; i++)
            sum += osw_moments_get(v, k, i);
        mean = sum / (double)v->summed.numel;
        for (int64_t i = 0; i < v->summed.numel; i++) {
            double d = osw_moments_get(v, k, i) - mean;

            squares += d * d;
        }
        squares /= v->divisor;
        if (means)
            means[k] = mean;
        vars[k] = v->root ? sqrt(squares) : squares;
    }
    return 0;
}

#endif /* OSW_LIBRARY_MOMENTS_REFERENCE_H */
