/* tests/variants/ops/rows.h - a tensor as rows along one dimension */
#ifndef VARIANTS_ROWS_H
#define VARIANTS_ROWS_H

#include "variants.h"

struct rows {
    const osw_tensor *x;
    int dim;
    int64_t n;     /* elements of a row */
    int64_t count; /* rows */
    int64_t inner; /* elements of the dimensions after dim */
    int64_t step;  /* between elements of a row */
};

static inline int rows_of(const osw_tensor *x, int64_t dim, struct rows *r)
{
    if (!x || x->ndim > 8)
        return OSW_UNSUPPORTED;
    r->x = x;
    r->dim = x->ndim ? (int)(dim < 0 ? dim + x->ndim : dim) : 0;
    r->n = x->ndim ? x->shape[r->dim] : 1;
    r->step = x->ndim ? x->strides[r->dim] : 1;
    r->count = r->inner = 1;
    for (int d = 0; d < x->ndim; d++) {
        if (d != r->dim)
            r->count *= x->shape[d];
        if (d > r->dim)
            r->inner *= x->shape[d];
    }
    return 0;
}

/* Number in row-major order of element k of a row. */
static inline int64_t rows_linear(const struct rows *r, int64_t row, int64_t k)
{
    return (row / r->inner * r->n + k) * r->inner + row % r->inner;
}

static inline void rows_read(const struct rows *r, int64_t row, float *to)
{
    int64_t at = r->n ? osw_offset(r->x, rows_linear(r, row, 0)) : 0;

    for (int64_t k = 0; k < r->n; k++)
        to[k] = (float)osw_load(r->x->dtype, osw_at(r->x, at + k * r->step));
}

static inline void rows_read_double(const struct rows *r, int64_t row,
                                    double *to)
{
    int64_t at = r->n ? osw_offset(r->x, rows_linear(r, row, 0)) : 0;

    for (int64_t k = 0; k < r->n; k++)
        to[k] = osw_load(r->x->dtype, osw_at(r->x, at + k * r->step));
}

/* The output of a reduction over r's dimension. */
static inline osw_tensor *rows_reduced(const osw_call *call, int i,
                                       const struct rows *r, osw_dtype dtype,
                                       int keepdim)
{
    int64_t shape[8];
    int ndim = 0;

    for (int d = 0; d < r->x->ndim; d++)
        if (d != r->dim)
            shape[ndim++] = r->x->shape[d];
        else if (keepdim)
            shape[ndim++] = 1;
    return osw_output(call, i, dtype, ndim, shape, NULL);
}

/* out = f(row), op(x, dim, keepdim): rows are floats. */
static inline int reduce_rows(const osw_call *call,
                              float (*f)(const float *x, int64_t n))
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
        osw_set(out, i, (double)f(row, r.n));
    }
    free(row);
    return 0;
}

static inline int reduce_rows_double(const osw_call *call,
                                     double (*f)(const double *x, int64_t n))
{
    struct rows r;
    osw_tensor *out;
    double *row;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = rows_reduced(call, 0, &r, r.x->dtype, (int)osw_arg_int(call, 2, 0));
    row = memory(r.n, sizeof(double));
    if (!out || !row)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read_double(&r, i, row);
        osw_set(out, i, f(row, r.n));
    }
    free(row);
    return 0;
}

/* y = f(row) of the same length, op(x, dim): rows are floats. */
static inline int map_rows(const osw_call *call,
                           void (*f)(const float *x, float *y, int64_t n))
{
    struct rows r;
    osw_tensor *out;
    float *row, *y;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r) ||
        is_double(r.x))
        return OSW_UNSUPPORTED;
    out = output_like(call, 0, r.x);
    row = memory(r.n, sizeof(float));
    y = memory(r.n, sizeof(float));
    if (!out || !row || !y)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read(&r, i, row);
        f(row, y, r.n);
        for (int64_t k = 0; k < r.n; k++)
            osw_set(out, rows_linear(&r, i, k), (double)y[k]);
    }
    free(row);
    free(y);
    return 0;
}

static inline int map_rows_double(const osw_call *call,
                                  void (*f)(const double *x, double *y,
                                            int64_t n))
{
    struct rows r;
    osw_tensor *out;
    double *row, *y;

    if (rows_of(osw_arg_tensor(call, 0), osw_arg_int(call, 1, -1), &r))
        return OSW_UNSUPPORTED;
    out = output_like(call, 0, r.x);
    row = memory(r.n, sizeof(double));
    y = memory(r.n, sizeof(double));
    if (!out || !row || !y)
        return OSW_ERROR;
    for (int64_t i = 0; i < r.count; i++) {
        rows_read_double(&r, i, row);
        f(row, y, r.n);
        for (int64_t k = 0; k < r.n; k++)
            osw_set(out, rows_linear(&r, i, k), y[k]);
    }
    free(row);
    free(y);
    return 0;
}

#endif
