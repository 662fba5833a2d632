/* shared/plain_rows.h - baselines: rows, sums and indices
 *
 * A row is computed in float, f64 in double and integers in int64, straight
 * from and to the tensor where its elements are of that type and dense, else
 * from and to a copy of the row.
 */
#ifndef OSW_LIBRARY_PLAIN_ROWS_H
#define OSW_LIBRARY_PLAIN_ROWS_H

#include "plain_copy.h"
#include "rows.h"

/* The type that elements of dtype t are computed in. */
static inline osw_dtype osw_plain_arithmetic(osw_dtype t)
{
    if (osw_rule_category(t) < 2)
        return osw_rule_dtype(OSW_INT, 64);
    return osw_rule_dtype(OSW_FLOAT, t.bits == 64 ? 64 : 32);
}

/* What is done to a row: y [n] from x [n], and from g [n] where there is a
 * second tensor; all of one type.
 */
typedef void osw_plain_row_work(const void *context, int64_t row, const void *x,
                                const void *g, void *y, int64_t n);

struct osw_plain_rows {
    const struct osw_rows *x, *g, *out; /* g: NULL where there is none */
    osw_dtype in;                       /* the type of the arithmetic */
    osw_plain_row_work *work;
    const void *context;
    /* copies of rows; copy NULL: not needed */
    struct osw_plain_way read_x, read_g, write;
};

/* Rows of the type of the arithmetic, dense: used where they are. */
static inline int osw_plain_find_row(struct osw_plain_way *w, osw_dtype to,
                                     osw_dtype from, const struct osw_rows *r,
                                     osw_dtype in)
{
    int found = osw_plain_find_way(w, to, from);

    if (osw_rule_same(r->tensor->dtype, in) && (r->stride == 1 || r->n == 1))
        w->copy = NULL;
    return found;
}

static inline void osw_plain_one_row(const struct osw_plain_rows *p,
                                     int64_t row, char *scratch)
{
    int64_t n = p->x->n, size = p->in.bits / 8;
    const void *x = osw_rows_at(p->x, row);
    const void *g = p->g ? osw_rows_at(p->g, row) : NULL;
    void *y = osw_rows_at(p->out, row);

    if (p->read_x.copy) {
        p->read_x.copy(&p->read_x, scratch, 1, x, p->x->stride, n);
        x = scratch;
    }
    if (p->g && p->read_g.copy) {
        p->read_g.copy(&p->read_g, scratch + n * size, 1, g, p->g->stride, n);
        g = scratch + n * size;
    }
    if (!p->write.copy) {
        p->work(p->context, row, x, g, y, n);
        return;
    }
    p->work(p->context, row, x, g, scratch + 2 * n * size, n);
    p->write.copy(&p->write, y, p->out->stride, scratch + 2 * n * size, 1, n);
}

/* Bytes of workspace that osw_plain_each_row() needs. */
static inline size_t osw_plain_rows_bytes(const osw_call *call,
                                          const struct osw_rows *x)
{
    return (size_t)(3 * 8 * x->n) * call->n_threads + 8;
}

/* Do the work on every row; scratch: of osw_plain_rows_bytes(). */
static inline int osw_plain_each_row(const osw_call *call,
                                     struct osw_plain_rows *p, char *scratch)
{
    int64_t n_rows = p->x->n_rows, n = p->x->n;
    int threads = osw_plain_threads(call, n_rows * n), t;

    if (!osw_plain_find_row(&p->read_x, p->in, p->x->tensor->dtype, p->x,
                            p->in) ||
        !osw_plain_find_row(&p->write, p->out->tensor->dtype, p->in, p->out,
                            p->in) ||
        (p->g && !osw_plain_find_row(&p->read_g, p->in, p->g->tensor->dtype,
                                     p->g, p->in)))
        return OSW_UNSUPPORTED;
    if (!scratch)
        return OSW_ERROR;
    if (n == 0)
        return 0;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (t = 0; t < threads; t++)
        for (int64_t row = n_rows * t / threads;
             row < n_rows * (t + 1) / threads; row++)
            osw_plain_one_row(p, row, scratch + (int64_t)t * 3 * 8 * n);
    return 0;
}

/* The i-th entry of an index, of i64 or i32. */
static inline int64_t osw_plain_index(const osw_tensor *t, int64_t i)
{
    const void *p = osw_at(t, osw_is_contiguous(t) ? i : osw_offset(t, i));

    return t->dtype.bits == 64 ? *(const int64_t *)p : *(const int32_t *)p;
}

#endif /* OSW_LIBRARY_PLAIN_ROWS_H */
