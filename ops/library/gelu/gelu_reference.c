/* ops/library/gelu/gelu_reference.c - x times the normal distribution, or its
 * approximation by tanh, in double
 */
#include "../shared/gelu.h"

int gelu_meta(const osw_call *call)
{
    struct osw_gelu g = {0};

    return osw_gelu_open(call, &g, 0);
}

static double gelu(double x, int by_tanh)
{
    if (by_tanh)
        return 0.5 * x *
               (1.0 +
                tanh(OSW_GELU_SQRT_2_PI * (x + OSW_GELU_CUBE * x * x * x)));
    return 0.5 * x * (1.0 + erf(x * OSW_GELU_SQRT_HALF));
}

int gelu_reference(const osw_call *call)
{
    struct osw_gelu g = {0};
    int rc = osw_gelu_open(call, &g, 0);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    int64_t n;

    if (!exact)
        return rc ? rc : OSW_ERROR;
    n = osw_numel(g.x);
#pragma omp parallel for num_threads((int)call->n_threads) if (n > 10000)
    for (int64_t c = 0; c < osw_gelu_chunks(n); c++) {
        int64_t at = c * OSW_GELU_CHUNK, m = osw_gelu_chunk_size(n, at);

        osw_rows_read_flat(g.x, at, m, exact + at);
        for (int64_t i = at; i < at + m; i++)
            exact[i] = gelu(exact[i], g.tanh);
    }
    return 0;
}
