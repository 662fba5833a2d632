/* shared/product.h - mm, bmm and addmm are one product
 *
 *     out[i] = alpha * a[i] @ b[i] + beta * plus        for each i in a batch
 *
 * Here: its arguments, checked, and its output, declared.  The ways to
 * compute it are in product_reference.h, product_blocked.h and
 * product_openblas.h.
 */
#ifndef OSW_LIBRARY_PRODUCT_H
#define OSW_LIBRARY_PRODUCT_H

#include <opsweep/elements.h>
#include <opsweep/op.h>

struct osw_product {
    const osw_tensor *a;    /* [n_batch, m, k] or [m, k] */
    const osw_tensor *b;    /* [n_batch, k, n] or [k, n] */
    const osw_tensor *plus; /* broadcast to [m, n]; NULL: none */
    osw_tensor *out;        /* as a and b, contiguous */
    double alpha, beta;
    int64_t n_batch, m, n, k;
};

/* One matrix of a batch: element (i, j) at data + (i * row + j * col) * bytes.
 */
struct osw_matrix {
    osw_dtype dtype;
    char *data;
    int64_t row, col; /* strides in elements */
};

static inline struct osw_matrix osw_matrix_of(const osw_tensor *t,
                                              int64_t batch)
{
    struct osw_matrix m;
    int64_t at = t->ndim == 3 ? batch * t->strides[0] : 0;

    m.dtype = t->dtype;
    m.data = (char *)osw_at(t, at);
    m.row = t->strides[t->ndim - 2];
    m.col = t->strides[t->ndim - 1];
    return m;
}

static inline char *osw_matrix_at(const struct osw_matrix *m, int64_t i,
                                  int64_t j)
{
    return m->data + (i * m->row + j * m->col) * (int64_t)(m->dtype.bits / 8);
}

/* `plus` as a matrix: strides of 0 where it is repeated. */
static inline struct osw_matrix osw_product_plus(const struct osw_product *p)
{
    struct osw_matrix m = {{0, 0, 0}, NULL, 0, 0};
    const osw_tensor *t = p->plus;

    if (!t)
        return m;
    m.dtype = t->dtype;
    m.data = (char *)osw_data(t);
    if (t->ndim >= 1 && t->shape[t->ndim - 1] != 1)
        m.col = t->strides[t->ndim - 1];
    if (t->ndim == 2 && t->shape[0] != 1)
        m.row = t->strides[0];
    return m;
}

static inline int osw_product_same(osw_dtype a, osw_dtype b)
{
    return a.code == b.code && a.bits == b.bits;
}

/* Do the trailing dimensions of t, at most two, repeat to [m, n]? */
static inline int osw_product_broadcasts(const osw_tensor *t, int64_t m,
                                         int64_t n)
{
    int64_t rows = t->ndim == 2 ? t->shape[0] : 1;
    int64_t cols = t->ndim >= 1 ? t->shape[t->ndim - 1] : 1;

    return t->ndim <= 2 && (rows == 1 || rows == m) && (cols == 1 || cols == n);
}

/* Check a, b (and plus), declare output 0.  ndim: 2, or 3 for a batch. */
static inline int osw_product_open(const osw_call *call, struct osw_product *p,
                                   int32_t ndim)
{
    const osw_tensor *a = p->a, *b = p->b;
    int64_t shape[3];

    if (!a || !b || a->ndim != ndim || b->ndim != ndim)
        return osw_error(call, "expected two tensors of as many dimensions");
    if (a->dtype.code != OSW_FLOAT && a->dtype.code != OSW_BFLOAT)
        return OSW_UNSUPPORTED;
    if (!osw_product_same(a->dtype, b->dtype) ||
        (p->plus && !osw_product_same(a->dtype, p->plus->dtype)))
        return osw_error(call, "expected tensors of one dtype");
    p->n_batch = ndim == 3 ? a->shape[0] : 1;
    p->m = a->shape[ndim - 2];
    p->k = a->shape[ndim - 1];
    p->n = b->shape[ndim - 1];
    if (b->shape[ndim - 2] != p->k || (ndim == 3 && b->shape[0] != p->n_batch))
        return osw_error(call, "shapes of the matrices do not fit");
    if (p->plus && !osw_product_broadcasts(p->plus, p->m, p->n))
        return osw_error(call, "the addend does not repeat to the product");
    shape[0] = p->n_batch;
    shape[ndim - 2] = p->m;
    shape[ndim - 1] = p->n;
    p->out = osw_output(call, 0, a->dtype, ndim, shape, NULL);
    if (p->beta == 0.0)
        p->plus = NULL; /* not read: NaN in it does not spread */
    return p->out ? 0 : OSW_ERROR;
}

static inline int osw_product_open_mm(const osw_call *call,
                                      struct osw_product *p)
{
    p->a = osw_arg_tensor(call, 0);
    p->b = osw_arg_tensor(call, 1);
    p->plus = NULL;
    p->alpha = p->beta = 1.0;
    return osw_product_open(call, p, 2);
}

static inline int osw_product_open_bmm(const osw_call *call,
                                       struct osw_product *p)
{
    p->a = osw_arg_tensor(call, 0);
    p->b = osw_arg_tensor(call, 1);
    p->plus = NULL;
    p->alpha = p->beta = 1.0;
    return osw_product_open(call, p, 3);
}

static inline int osw_product_open_addmm(const osw_call *call,
                                         struct osw_product *p)
{
    p->plus = osw_arg_tensor(call, 0);
    p->a = osw_arg_tensor(call, 1);
    p->b = osw_arg_tensor(call, 2);
    p->beta = osw_arg_float(call, 3, 1.0);
    p->alpha = osw_arg_float(call, 4, 1.0);
    if (!p->plus)
        return osw_error(call, "expected a tensor to add");
    return osw_product_open(call, p, 2);
}

#endif /* OSW_LIBRARY_PRODUCT_H */
