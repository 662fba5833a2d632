/* ops/library/all_reduce/all_reduce_reference.c - in double; integers as they
 * are */
#include <math.h>

#include "../shared/collective.h"

static void all_reduce_floats(const osw_call *call, int64_t n, double *exact,
                              double *norm)
{
    int max = osw_combine_is_max(call, 1);

#pragma omp parallel for num_threads(call->n_threads) if (n > 100000)
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, squares = 0, largest = -INFINITY;

        for (int rank = 0; rank < osw_world(call); rank++) {
            double v = osw_get(osw_peer_tensor(call, rank, 0), i);

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

static void all_reduce_integers(const osw_call *call, const osw_tensor *out,
                                osw_combine *combine)
{
    int64_t n = osw_numel(out);

    memcpy(osw_data(out), osw_data(osw_peer_tensor(call, 0, 0)),
           (size_t)n * osw_elem_bytes(out));
    for (int rank = 1; rank < osw_world(call); rank++)
        combine(out->dtype, osw_data(out),
                osw_data(osw_peer_tensor(call, rank, 0)), n);
}

int all_reduce_reference(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_combine *combine = x ? osw_combine_of(call, 1, x->dtype) : NULL;
    osw_tensor *out;
    double *exact;

    if (!combine)
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (x->dtype.code == OSW_INT) {
        all_reduce_integers(call, out, combine);
        return 0;
    }
    exact = osw_output_exact(call, 0);
    if (!exact)
        return OSW_ERROR;
    /* 16 bits are rounded at each rank, which op.json's tolerance allows. */
    all_reduce_floats(call, osw_numel(x), exact,
                      osw_combine_is_max(call, 1) || x->dtype.bits < 32
                          ? NULL
                          : osw_output_norm(call, 0));
    return 0;
}
