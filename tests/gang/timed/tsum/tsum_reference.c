/* tsum/tsum_reference.c - in double */
#include <math.h>

#include <opsweep/collective.h>
#include <opsweep/elements.h>

int tsum_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    double *exact, *norm;

    if (!osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    if (!exact || !norm)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++) {
        exact[i] = norm[i] = 0;
        for (int rank = 0; rank < osw_world(call); rank++) {
            double v = osw_get(osw_peer_tensor(call, rank, 0), i);

            exact[i] += v;
            norm[i] += v * v;
        }
        norm[i] = sqrt(norm[i]);
    }
    return 0;
}
