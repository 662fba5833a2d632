/* adam_reference.c - one step of Adam in double: rate 1e-3, 0.9, 0.999, 1e-8.
 */
#include "../variants.h"

int adam_reference(const osw_call *call)
{
    const osw_tensor *g = osw_arg_tensor(call, 3);
    double t = osw_arg_float(call, 4, 1.0), *out[3];

    for (int i = 0; i < 3; i++) {
        out[i] =
            osw_output_alias(call, i, i) ? osw_output_exact(call, i) : NULL;
        if (!out[i])
            return OSW_ERROR;
    }
    for (int64_t i = 0; i < osw_numel(g); i++) {
        double x = osw_get(g, i);
        double m = 0.9 * osw_get(osw_arg_tensor(call, 1), i) + 0.1 * x;
        double v = 0.999 * osw_get(osw_arg_tensor(call, 2), i) + 0.001 * x * x;

        out[0][i] = osw_get(osw_arg_tensor(call, 0), i) -
                    1e-3 * m / (1.0 - pow(0.9, t)) /
                        (sqrt(v / (1.0 - pow(0.999, t))) + 1e-8);
        out[1][i] = m;
        out[2][i] = v;
    }
    return 0;
}
