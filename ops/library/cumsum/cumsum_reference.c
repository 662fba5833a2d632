/* ops/library/cumsum/cumsum_reference.c - in double; integers in int64 */
#include "cumsum.h"

#include <math.h>

int cumsum_meta(const osw_call *call)
{
    struct osw_cumsum c = {0};

    return osw_cumsum_open(call, &c);
}

int cumsum_reference(const osw_call *call)
{
    struct osw_cumsum c = {0};
    int rc = osw_cumsum_open(call, &c);
    double *exact = NULL, *norm = NULL;

    if (rc)
        return rc;
    if (c.is_float && !(exact = osw_output_exact(call, 0)))
        return OSW_ERROR;
    norm = exact ? osw_output_norm(call, 0) : NULL;
    for (int64_t row = 0; row < (c.x.n ? c.x.n_rows : 0); row++) {
        int64_t x = osw_rows_offset(&c.x, row), integers = 0;
        int64_t out = osw_rows_offset(&c.out, row);
        double sum = 0.0, squares = 0.0;

        for (int64_t i = 0; i < c.x.n; i++) {
            const void *p = osw_at(c.x.tensor, x + i * c.x.stride);

            if (c.is_float) {
                double v = osw_load(c.x.tensor->dtype, p);

                sum += v;
                squares += v * v;
                exact[out + i * c.out.stride] = sum;
                if (norm)
                    norm[out + i * c.out.stride] = sqrt(squares);
            } else {
                integers =
                    (int64_t)((uint64_t)integers +
                              (uint64_t)osw_load_int(c.x.tensor->dtype, p));
                memcpy(osw_at(c.out.tensor, out + i * c.out.stride), &integers,
                       8);
            }
        }
    }
    return 0;
}
