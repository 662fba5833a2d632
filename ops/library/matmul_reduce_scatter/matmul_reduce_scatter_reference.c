/* ops/library/matmul_reduce_scatter/matmul_reduce_scatter_reference.c - in
 * double
 */
#include "matmul_reduce_scatter.h"

int matmul_reduce_scatter_reference(const osw_call *call)
{
    struct osw_ranks_product p;
    int rc = osw_scattered_open(call, &p);
    double *exact, *norm;
    int64_t rows;

    if (rc)
        return rc;
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    if (!exact || !norm)
        return OSW_ERROR;
    rows = p.m / osw_world(call);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < p.n; j++, exact++, norm++) {
            double squares = 0;

            *exact = 0;
            for (int rank = 0; rank < osw_world(call); rank++)
                osw_ranks_product_terms(osw_peer_tensor(call, rank, 0),
                                        osw_peer_tensor(call, rank, 1),
                                        osw_rank(call) * rows + i, j, exact,
                                        &squares);
            *norm = sqrt(squares);
        }
    return 0;
}
