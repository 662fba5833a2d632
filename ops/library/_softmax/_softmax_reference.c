/* ops/library/_softmax/_softmax_reference.c - each row: exp(x - max) / sum */
#include "../softmax.h"

int _softmax_meta(const osw_call *call)
{
    struct osw_softmax s = {0};

    return osw_softmax_open(call, &s);
}

int _softmax_reference(const osw_call *call)
{
    struct osw_softmax s = {0};
    int rc = osw_softmax_open(call, &s);
    double *exact = rc ? NULL : osw_output_exact(call, 0);

    if (!exact)
        return rc ? rc : OSW_ERROR;
    for (int64_t row = 0; row < s.x.n_rows; row++) {
        int64_t at = osw_rows_offset(&s.out, row);
        double max = -INFINITY, sum = 0.0;

        for (int64_t i = 0; i < s.x.n; i++)
            max = fmax(max, osw_rows_get(&s.x, row, i));
        for (int64_t i = 0; i < s.x.n; i++)
            sum += exp(osw_rows_get(&s.x, row, i) - max);
        for (int64_t i = 0; i < s.x.n; i++)
            exact[at + i * s.out.stride] =
                exp(osw_rows_get(&s.x, row, i) - max) / sum;
    }
    return 0;
}
