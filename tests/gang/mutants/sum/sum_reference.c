/* sum/sum_reference.c - in double */
#include <math.h>

#include <opsweep/elements.h>

#include "sum.h"

int sum_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    double *exact, *norm;

    if (!osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL) ||
        !(exact = osw_output_exact(call, 0)) ||
        !(norm = osw_output_norm(call, 0)))
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++) {
        double squares = 0;

        exact[i] = 0;
        for (int rank = 0; rank < osw_world(call); rank++) {
            double v = osw_get(osw_peer_tensor(call, rank, 0), i);

            exact[i] += v;
            squares += v * v;
        }
        norm[i] = sqrt(squares);
    }
    return 0;
}
