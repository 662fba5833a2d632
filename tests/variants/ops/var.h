/* tests/variants/ops/var.h - var(x, dim, keepdim, correction) */
#ifndef VARIANTS_VAR_H
#define VARIANTS_VAR_H

#include "rows.h"

static inline int reduce_var(const osw_call *call,
                             float (*f)(const float *x, int64_t n,
                                        double correction))
{
    struct rows r;
    osw_tensor *out;
    float *row;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r) ||
        is_double(r.x))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    row = memory(r.n, sizeof(float));
    if (!out || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read(&r, i, row);
        osw_set(out, i, (double)f(row, r.n, osw_arg_float(call, 3, 1.0)));
    }
    free(row);
    return 0;
}

#endif
