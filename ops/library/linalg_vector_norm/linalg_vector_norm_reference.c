/* linalg_vector_norm - the ord-th root of the sum of the ord-th powers of
 * sizes; of infinite orders the largest or smallest size, of order 0 how many
 * are not 0; in double
 */
#include "vector_norm.h"

int linalg_vector_norm_meta(const osw_call *call)
{
    struct vector_norm v = {0};

    return vector_norm_open(call, &v);
}

/* Of the elements that give output k. */
static double norm_of(const struct vector_norm *v, int64_t k)
{
    const struct osw_reduce *r = &v->r;
    int64_t at = osw_reduce_offset(&r->kept, k);
    double sum = 0.0, most = 0.0, least = INFINITY;

    for (int64_t i = 0; i < r->summed.numel; i++) {
        double size = fabs(osw_load(
            r->x->dtype, osw_at(r->x, at + osw_reduce_offset(&r->summed, i))));

        if (size != size && v->ord != 0.0)
            return size;
        sum += v->ord == 0.0 ? size != 0.0 : pow(size, v->ord);
        most = fmax(most, size);
        least = fmin(least, size);
    }
    if (v->ord == INFINITY)
        return most;
    if (v->ord == -INFINITY)
        return least;
    return v->ord == 0.0 ? sum : pow(sum, 1.0 / v->ord);
}

int linalg_vector_norm_reference(const osw_call *call)
{
    struct vector_norm v = {0};
    int rc = vector_norm_open(call, &v);
    double *exact = rc ? NULL : osw_output_exact(call, 0);

    if (!exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t k = 0; k < v.r.kept.numel; k++)
        exact[k] = norm_of(&v, k);
    return 0;
}
