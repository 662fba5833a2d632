/* tests/variants/ops/rows_int.h - reductions whose result is an index */
#ifndef VARIANTS_ROWS_INT_H
#define VARIANTS_ROWS_INT_H

#include "rows.h"

static inline int reduce_rows_int(const osw_call *call,
                                  int64_t (*f)(const double *x, int64_t n))
{
    struct rows r;
    osw_tensor *out;
    double *row;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, DTYPE_I64, (int)osw_arg_int(call, 2, 0));
    row = memory(r.n, sizeof(double));
    if (!out || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read_double(&r, i, row);
        write_int(out, i, f(row, r.n));
    }
    free(row);
    return 0;
}

#endif
