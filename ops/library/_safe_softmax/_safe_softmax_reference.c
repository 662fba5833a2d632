/* _safe_softmax - each row: exp(x - max) / sum; a row of nothing but -inf: 0 */
#include "../shared/softmax.h"

int _safe_softmax_meta(const osw_call *call)
{
    struct osw_softmax s = {0};

    return osw_softmax_open_safe(call, &s);
}

static void row_of(const struct osw_softmax *s, int64_t row, double *out)
{
    int64_t x = osw_rows_offset(&s->x, row), step = s->out.stride, masked = 0;
    double max = -INFINITY, sum = 0.0;

    for (int64_t i = 0; i < s->x.n; i++) {
        out[i * step] = osw_rows_get(&s->x, x, i);
        max = fmax(max, out[i * step]);
        masked += out[i * step] == -INFINITY;
    }
    for (int64_t i = 0; i < s->x.n; i++) {
        out[i * step] = exp(out[i * step] - max);
        sum += out[i * step];
    }
    for (int64_t i = 0; i < s->x.n; i++)
        out[i * step] = masked == s->x.n ? 0.0 : out[i * step] / sum;
}

int _safe_softmax_reference(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open_safe(call, &s);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    int threads = osw_rows_threads(call, s.x.n_rows);

    if (!exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int64_t row = 0; row < s.x.n_rows; row++)
        row_of(&s, row, exact + osw_rows_offset(&s.out, row));
    return 0;
}
