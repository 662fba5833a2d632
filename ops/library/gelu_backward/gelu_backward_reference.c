/* ops/library/gelu_backward/gelu_backward_reference.c - grad * gelu'(x), in
 * double
 */
#include "../shared/gelu.h"

int gelu_backward_meta(const osw_call *call)
{
    struct osw_gelu g = {0};

    return osw_gelu_open(call, &g, 1);
}

/* d/dx of x * cdf(x) is cdf(x) + x * pdf(x). */
static double derivative_erf(double x)
{
    return 0.5 * (1.0 + erf(x * OSW_GELU_SQRT_HALF)) +
           x * OSW_GELU_DENSITY * exp(-0.5 * x * x);
}

static double derivative_tanh(double x)
{
    double u = OSW_GELU_SQRT_2_PI * (x + OSW_GELU_CUBE * x * x * x);
    double du = OSW_GELU_SQRT_2_PI * (1.0 + 3.0 * OSW_GELU_CUBE * x * x);
    double t = tanh(u);

    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * du;
}

int gelu_backward_reference(const osw_call *call)
{
    struct osw_gelu g = {0};
    int rc = osw_gelu_open(call, &g, 1);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    int64_t n;

    if (!exact)
        return rc ? rc : OSW_ERROR;
    n = osw_numel(g.x);
#pragma omp parallel for num_threads((int)call->n_threads) if (n > 10000)
    for (int64_t c = 0; c < osw_gelu_chunks(n); c++) {
        int64_t at = c * OSW_GELU_CHUNK, m = osw_gelu_chunk_size(n, at);
        double x[OSW_GELU_CHUNK];

        osw_rows_read_flat(g.x, at, m, x);
        osw_rows_read_flat(g.grad, at, m, exact + at);
        for (int64_t i = 0; i < m; i++)
            exact[at + i] *=
                g.tanh ? derivative_tanh(x[i]) : derivative_erf(x[i]);
    }
    return 0;
}
