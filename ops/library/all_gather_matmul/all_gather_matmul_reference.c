/* ops/library/all_gather_matmul/all_gather_matmul_reference.c - in double */
#include "all_gather_matmul.h"

int all_gather_matmul_reference(const osw_call *call)
{
    struct osw_ranks_product p;
    int rc = osw_gathered_open(call, &p);
    double *exact, *norm;

    if (rc)
        return rc;
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    if (!exact || !norm)
        return OSW_ERROR;
    for (int rank = 0; rank < osw_world(call); rank++)
        for (int64_t i = 0; i < p.m; i++)
            for (int64_t j = 0; j < p.n; j++, exact++, norm++) {
                double squares = 0;

                *exact = 0;
                osw_ranks_product_terms(osw_peer_tensor(call, rank, 0), p.w, i,
                                        j, exact, &squares);
                *norm = sqrt(squares);
            }
    return 0;
}
