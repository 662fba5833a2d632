/* tests/variants/ops/sort.h - rows sorted by a function of (values, places) */
#ifndef VARIANTS_SORT_H
#define VARIANTS_SORT_H

#include "rows.h"

/* Puts p into the order of v, descending when sign is -1. */
typedef void sort_fn(const double *v, int64_t *p, int64_t n);

static inline int sort_rows(const osw_call *call, sort_fn *f)
{
    struct rows r;
    double *row, sign = osw_arg_int(call, 1, 0) ? -1.0 : 1.0;
    int64_t *p;
    osw_tensor *v, *places;

    rows_of(osw_arg_tensor(call, 0), -1, &r);
    v = output_like(call, 0, r.x);
    places = osw_output(call, 1, DTYPE_I64, r.x->ndim, r.x->shape, NULL);
    row = memory(r.n, 8);
    p = memory(r.n, 8);
    if (!v || !places || !row || !p)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read_double(&r, i, row);
        for (int64_t k = 0; k < r.n; k++) {
            row[k] *= sign;
            p[k] = k;
        }
        f(row, p, r.n);
        for (int64_t k = 0; k < r.n; k++) {
            osw_set(v, i * r.n + k, sign * row[p[k]]);
            write_int(places, i * r.n + k, p[k]);
        }
    }
    free(row);
    free(p);
    return 0;
}

#endif
