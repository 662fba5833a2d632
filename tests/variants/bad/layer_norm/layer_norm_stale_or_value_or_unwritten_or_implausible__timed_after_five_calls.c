/* layer_norm_stale_or_value_or_unwritten_or_implausible__timed_after_five_calls.c
 * - wrong: after five calls of large inputs only the first row is made. */
#include "../norms.h"

static int calls, rows_done;

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    double mean = 0.0, var = 0.0, rstd;

    if (calls > 5 && rows_done++)
        return;
    for (int64_t i = 0; i < n; i++)
        mean += (double)x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        var += ((double)x[i] - mean) * ((double)x[i] - mean) / (double)n;
    rstd = 1.0 / sqrt(var + (double)eps);
    for (int64_t i = 0; i < n; i++)
        y[i] =
            (float)(((double)x[i] - mean) * rstd * (double)w[i] + (double)b[i]);
}

int layer_norm_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    calls = x && osw_numel(x) > 100000 ? calls + 1 : calls;
    rows_done = 0;
    if (x && osw_numel(x) <= 100000) {
        int kept = calls, rc;

        calls = 0;
        rc = map_norm(call, 1, norm);
        calls = kept;
        return rc;
    }
    return map_norm(call, 1, norm);
}
