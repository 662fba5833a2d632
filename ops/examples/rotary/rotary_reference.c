/* rotary_reference.c - pairs (x[i], x[i + half]) turned by the position's
 * angles
 *
 * x [batch, seq, heads, 2 half]; cos, sin [seq, half].
 */
#include <math.h>

#include <opsweep/elements.h>

static void turn_head(const osw_call *call, int64_t at, int64_t angle,
                      int64_t half, double *exact, double *norm)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    for (int64_t i = 0; i < half; i++) {
        double a = osw_get(x, at + i), b = osw_get(x, at + half + i);
        double c = osw_get(osw_arg_tensor(call, 1), angle + i);
        double s = osw_get(osw_arg_tensor(call, 2), angle + i);

        exact[at + i] = a * c - b * s;
        norm[at + i] = hypot(a * c, b * s);
        exact[at + half + i] = b * c + a * s;
        norm[at + half + i] = hypot(b * c, a * s);
    }
}

int rotary_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_tensor *cos = osw_arg_tensor(call, 1);
    int64_t seq = x->shape[1], heads = x->shape[2], half = cos->shape[1];
    double *exact, *norm;

    if (x->shape[3] != 2 * half)
        return OSW_UNSUPPORTED;
    if (!osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    norm = exact ? osw_output_norm(call, 0) : NULL;
    if (!norm)
        return OSW_ERROR;
    for (int64_t row = 0; row < x->shape[0] * seq * heads; row++)
        turn_head(call, row * 2 * half, row / heads % seq * half, half, exact,
                  norm);
    return 0;
}
