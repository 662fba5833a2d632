/* ops/library/max_pool2d_with_indices_backward/
 * max_pool2d_with_indices_backward_reference.c - each gradient is added where
 * its index says, in double
 */
#include "../shared/pool.h"

int max_pool2d_with_indices_backward_meta(const osw_call *call)
{
    struct osw_pool p = {0};
    struct osw_image indices;

    return osw_pool_open_max_backward(call, &p, &indices);
}

/* exact, norm: of the plane of s */
static void add_plane(const struct osw_pool *p, const struct osw_image *indices,
                      struct osw_spot s, double *exact, double *norm)
{
    int64_t n = p->in.y * p->in.x;

    memset(exact, 0, (size_t)n * sizeof(double));
    if (norm)
        memset(norm, 0, (size_t)n * sizeof(double));
    for (s.y = 0; s.y < p->out.y; s.y++)
        for (s.x = 0; s.x < p->out.x; s.x++) {
            double g = osw_image_get(&p->out, s.n, s.c, s.y, s.x);
            int64_t at = osw_image_offset(indices, s.n, s.c, s.y, s.x);
            int64_t i = ((const int64_t *)(const void *)indices->data)[at];

            exact[i] += g;
            if (norm)
                norm[i] += g * g;
        }
    for (int64_t i = 0; norm && i < n; i++)
        norm[i] = sqrt(norm[i]);
}

int max_pool2d_with_indices_backward_reference(const osw_call *call)
{
    struct osw_pool p = {0};
    struct osw_image indices;
    int rc = osw_pool_open_max_backward(call, &p, &indices);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    int64_t n = p.in.y * p.in.x;

    if (rc || !exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t i = 0; i < p.in.n * p.in.c; i++) {
        struct osw_spot s = {i / p.in.c, i % p.in.c, 0, 0};

        add_plane(&p, &indices, s, exact + i * n, norm ? norm + i * n : NULL);
    }
    return 0;
}
