/* mse_loss - squares of differences, each or summed, in double */
#include "mse_loss.h"

int mse_loss_meta(const osw_call *call)
{
    struct osw_mse m = {0};

    return osw_mse_open(call, &m);
}

int mse_loss_reference(const osw_call *call)
{
    struct osw_mse m = {0};
    int rc = osw_mse_open(call, &m);
    int64_t n = m.a ? osw_numel(m.a) : 0;
    double *exact, *norm, sum = 0.0, squares = 0.0;

    if (rc)
        return rc;
    exact = osw_output_exact(call, 0);
    norm = exact && !m.each ? osw_output_norm(call, 0) : NULL;
    if (!exact || (!norm && !m.each))
        return OSW_ERROR;
    for (int64_t i = 0; i < n; i++) {
        double d = osw_get(m.a, i) - osw_get(m.b, i);

        if (m.each)
            exact[i] = d * d;
        sum += d * d;
        squares += d * d * d * d;
    }
    if (!m.each) {
        exact[0] = sum / m.divisor;
        norm[0] = sqrt(squares) / m.divisor;
    }
    return 0;
}
