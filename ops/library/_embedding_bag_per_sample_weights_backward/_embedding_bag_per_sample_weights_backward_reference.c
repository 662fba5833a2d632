/* _embedding_bag_per_sample_weights_backward - products term by term, in double
 */
#include <math.h>

#include "sample_weights.h"

int _embedding_bag_per_sample_weights_backward_meta(const osw_call *call)
{
    struct sample_weights w = {0};

    return sample_weights_open(call, &w);
}

int _embedding_bag_per_sample_weights_backward_reference(const osw_call *call)
{
    struct sample_weights w = {0};
    int rc = sample_weights_open(call, &w);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    double *norm = exact ? osw_output_norm(call, 0) : NULL;

    if (!norm)
        return rc ? rc : OSW_ERROR;
    for (int64_t i = 0; i < w.n; i++) {
        int64_t bag = 0, row = sample_weights_row(&w, i, &bag);

        if (row == -2)
            return osw_error(call, "index or bag is out of range");
        exact[i] = norm[i] = 0.0;
        for (int64_t k = 0; row >= 0 && k < w.width; k++) {
            double term = osw_get(w.grad, bag * w.width + k) *
                          osw_get(w.weight, row * w.width + k);

            exact[i] += term;
            norm[i] += term * term;
        }
        norm[i] = sqrt(norm[i]);
    }
    return 0;
}
