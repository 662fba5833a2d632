/* ops/library/var_mean__correction/var_mean__correction_reference.c - the mean,
 * then the squares around it, in double
 */
#include "var_mean.h"

int var_mean__correction_meta(const osw_call *call)
{
    struct var_mean v = {0};

    return var_mean_open(call, &v);
}

/* Element i of those that give output k. */
static double get(const struct var_mean *v, int64_t k, int64_t i)
{
    return osw_load(v->x->dtype,
                    osw_at(v->x, osw_reduce_offset(&v->kept, k) +
                                     osw_reduce_offset(&v->summed, i)));
}

int var_mean__correction_reference(const osw_call *call)
{
    struct var_mean v = {0};
    int rc = var_mean_open(call, &v);
    double *vars, *means;

    if (rc)
        return rc;
    vars = osw_output_exact(call, 0);
    means = osw_output_exact(call, 1);
    if (!vars || !means)
        return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t k = 0; k < v.kept.numel; k++) {
        double sum = 0.0, squares = 0.0;

        for (int64_t i = 0; i < v.summed.numel; i++)
            sum += get(&v, k, i);
        means[k] = sum / (double)v.summed.numel;
        for (int64_t i = 0; i < v.summed.numel; i++) {
            double d = get(&v, k, i) - means[k];

            squares += d * d;
        }
        vars[k] = squares / v.divisor;
    }
    return 0;
}
