/* shared/softmax_forward.h - _softmax and _safe_softmax on a processor: each
 * row exp(x - max) / sum
 *
 * Of a row of nothing but -inf, _safe_softmax makes 0, and _softmax NaN.
 */
#ifndef OSW_LIBRARY_SOFTMAX_FORWARD_H
#define OSW_LIBRARY_SOFTMAX_FORWARD_H

#include "softmax.h"

/* --- the reference --- */

static inline void osw_softmax_reference_row(const struct osw_softmax *s,
                                             int64_t row, int safe, double *out)
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
        out[i * step] = safe && masked == s->x.n ? 0.0 : out[i * step] / sum;
}

/* rc: what opening the arguments returned. */
static inline int osw_softmax_reference(const osw_call *call,
                                        const struct osw_softmax *s, int rc,
                                        int safe)
{
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    int threads = osw_rows_threads(call, s->x.n_rows);

    if (!exact)
        return rc ? rc : OSW_ERROR;
#pragma omp parallel for num_threads(threads)
    for (int64_t row = 0; row < s->x.n_rows; row++)
        osw_softmax_reference_row(s, row, safe,
                                  exact + osw_rows_offset(&s->out, row));
    return 0;
}

/* --- rows in float --- */

/* Of each file `safe` is a constant. */
static inline void osw_softmax_float_row(float *x, int64_t n, int safe)
{
    float max = -INFINITY;
    double sum = 0.0;
    float scale;

#pragma omp simd reduction(max : max)
    for (int64_t i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
    max = safe && max == -INFINITY ? 0.0f : max;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        x[i] = osw_vecmath_exp(x[i] - max);
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    scale = safe && sum == 0.0 ? 0.0f : (float)(1.0 / sum);
    for (int64_t i = 0; i < n; i++)
        x[i] *= scale;
}

#endif /* OSW_LIBRARY_SOFTMAX_FORWARD_H */
