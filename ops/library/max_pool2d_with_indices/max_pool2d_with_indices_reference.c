/* ops/library/max_pool2d_with_indices/max_pool2d_with_indices_reference.c - the
 * maximum of each window and its index within the plane
 */
#include "../shared/max_pool.h"

int max_pool2d_with_indices_meta(const osw_call *call)
{
    struct osw_pool p = {0};
    struct osw_image indices;

    return osw_pool_open_max(call, &p, &indices);
}

int max_pool2d_with_indices_reference(const osw_call *call)
{
    struct osw_pool p = {0};
    struct osw_image indices;
    int rc = osw_pool_open_max(call, &p, &indices);
    double *exact = rc ? NULL : osw_output_exact(call, 0);

    if (rc || !exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t i = 0; i < osw_image_numel(&p.out); i++) {
        struct osw_spot s = osw_image_spot(&p.out, i);
        int64_t index = osw_max_pool_index(&p, s);

        exact[i] =
            osw_image_get(&p.in, s.n, s.c, index / p.in.x, index % p.in.x);
        ((int64_t *)(void *)indices.data)[i] = index;
    }
    return 0;
}
