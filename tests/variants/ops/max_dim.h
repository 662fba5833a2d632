/* tests/variants/ops/max_dim.h - (largest, where) of rows */
#ifndef VARIANTS_MAX_DIM_H
#define VARIANTS_MAX_DIM_H

#include "rows.h"

static inline int max_rows(const osw_call *call,
                           int64_t (*f)(const float *x, int64_t n))
{
    struct rows r;
    osw_tensor *value, *at;
    float *row;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    value = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    at = rows_reduced(call, 1, &r, DTYPE_I64, (int)osw_arg_int(call, 2, 0));
    row = memory(r.n, sizeof(float));
    if (!value || !at || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        int64_t best;

        rows_read(&r, i, row);
        best = f(row, r.n);
        osw_set(value, i, (double)row[best]);
        write_int(at, i, best);
    }
    free(row);
    return 0;
}

#endif
