/* ops/library/reduce_scatter/reduce_scatter_reference.c - in double; integers
 * as they are
 */
#include <math.h>

#include "reduce_scatter.h"

static void reduce_scatter_floats(const osw_call *call,
                                  const struct osw_reduce_scatter *s,
                                  double *exact, double *norm)
{
    int64_t from = s->n * osw_rank(call);
    int max = osw_combine_is_max(call, 1);

    for (int64_t i = 0; i < s->n; i++) {
        double sum = 0, squares = 0, largest = -INFINITY;

        for (int rank = 0; rank < osw_world(call); rank++) {
            double v = osw_get(osw_peer_tensor(call, rank, 0), from + i);

            sum += v;
            squares += v * v;
            if (v > largest || isnan(v))
                largest = isnan(largest) ? largest : v;
        }
        exact[i] = max ? largest : sum;
        if (norm)
            norm[i] = sqrt(squares);
    }
}

int reduce_scatter_reference(const osw_call *call)
{
    struct osw_reduce_scatter s;
    int rank = osw_rank(call), rc = osw_reduce_scatter_open(call, &s);
    double *exact;

    if (rc)
        return rc;
    if (s.x->dtype.code == OSW_INT) {
        memcpy(
            osw_data(s.out),
            osw_reduce_scatter_at(call, &s, osw_peer_tensor(call, 0, 0), rank),
            s.bytes);
        for (int peer = 1; peer < osw_world(call); peer++)
            s.combine(s.x->dtype, osw_data(s.out),
                      osw_reduce_scatter_at(
                          call, &s, osw_peer_tensor(call, peer, 0), rank),
                      s.n);
        return 0;
    }
    exact = osw_output_exact(call, 0);
    if (!exact)
        return OSW_ERROR;
    /* 16 bits are rounded at each rank, which op.json's tolerance allows. */
    reduce_scatter_floats(call, &s, exact,
                          osw_combine_is_max(call, 1) || s.x->dtype.bits < 32
                              ? NULL
                              : osw_output_norm(call, 0));
    return 0;
}
