/* worker/judge/compare/matmul.c - C = plus + A @ B, read as batches of matrices
 */
#include "worker/judge/compare/matmul.h"

#include <string.h>

static bool is_float(const struct osw_view *v)
{
    return osw_dtype_info((int)v->desc->dtype)->class == OSW_CLASS_FLOAT;
}

/* Size and stride of a dimension counted from the last; absent ones are 1. */
static int64_t size_of(const struct osw_view *v, int from_last)
{
    int32_t d = v->desc->ndim - 1 - from_last;

    return d < 0 ? 1 : v->desc->shape[d];
}

static int64_t stride_of(const struct osw_view *v, int from_last)
{
    int32_t d = v->desc->ndim - 1 - from_last;

    return d < 0 || v->desc->shape[d] == 1 ? 0 : v->desc->strides[d];
}

/* As n_batches x rows x cols, with sizes of 1 repeated; false: it is not. */
static bool read_matrix(const struct osw_view *v, int64_t n_batches,
                        int64_t rows, int64_t cols,
                        struct osw_matmul_batches *out)
{
    const int64_t want[3] = {cols, rows, n_batches};

    if (!is_float(v) || v->desc->ndim > 3)
        return false;
    for (int d = 0; d < 3; d++)
        if (size_of(v, d) != want[d] && size_of(v, d) != 1)
            return false;
    *out = (struct osw_matmul_batches){
        .matrix = {.data = v->data,
                   .dtype = v->desc->dtype,
                   .bytes = (int64_t)osw_view_elem_bytes(v),
                   .rows = rows,
                   .cols = cols,
                   .row_stride = stride_of(v, 1),
                   .col_stride = stride_of(v, 0)},
        .stride = stride_of(v, 2),
    };
    return true;
}

static bool refuse(const char **why, const char *text)
{
    *why = text;
    return false;
}

bool osw_matmul_read(const struct osw_matmul *p, struct osw_matmul_parts *out,
                     const char **why)
{
    const struct osw_view *c = p->c, *a = p->a, *b = p->b;

    if (c->desc->ndim < 2 || c->desc->ndim > 3 || a->desc->ndim < 2 ||
        b->desc->ndim < 2)
        return refuse(why, "not matrices, or batches of them");
    out->n_batches = size_of(c, 2);
    out->m = size_of(c, 1);
    out->n = size_of(c, 0);
    out->k = size_of(a, 0);
    if (size_of(a, 1) != out->m || size_of(b, 1) != out->k ||
        size_of(b, 0) != out->n ||
        !read_matrix(c, out->n_batches, out->m, out->n, &out->c) ||
        !read_matrix(a, out->n_batches, out->m, out->k, &out->a) ||
        !read_matrix(b, out->n_batches, out->k, out->n, &out->b))
        return refuse(why, "shapes or dtypes are no matrix product's");
    out->has_plus = p->plus != NULL;
    if (out->has_plus &&
        !read_matrix(p->plus, out->n_batches, out->m, out->n, &out->plus))
        return refuse(why, "what is added does not fit the product");
    return true;
}

static struct osw_matrix matrix_at(const struct osw_matmul_batches *b,
                                   int64_t batch)
{
    struct osw_matrix m = b->matrix;

    m.data += batch * b->stride * m.bytes;
    return m;
}

struct osw_matmul_batch osw_matmul_at(const struct osw_matmul_parts *p,
                                      int64_t batch)
{
    struct osw_matmul_batch at = {.a = matrix_at(&p->a, batch),
                                  .b = matrix_at(&p->b, batch),
                                  .c = matrix_at(&p->c, batch)};

    if (p->has_plus)
        at.plus = matrix_at(&p->plus, batch);
    return at;
}

static struct osw_matrix across(struct osw_matrix m)
{
    struct osw_matrix t = m;

    t.rows = m.cols;
    t.cols = m.rows;
    t.row_stride = m.col_stride;
    t.col_stride = m.row_stride;
    return t;
}

struct osw_matmul_batch osw_matmul_across(const struct osw_matmul_batch *p)
{
    return (struct osw_matmul_batch){.a = across(p->b),
                                     .b = across(p->a),
                                     .c = across(p->c),
                                     .plus = across(p->plus)};
}

void osw_matmul_row(const struct osw_matmul_batch *p, int64_t i, double *a_row,
                    double *to)
{
    struct osw_matrix columns = across(p->b);

    memset(to, 0, (size_t)p->c.cols * sizeof(*to));
    osw_matrix_row(&p->a, i, a_row);
    if (p->plus.data)
        osw_matrix_row(&p->plus, i, to);
    osw_matrix_apply(&columns, 1, a_row, to);
}

void osw_matmul_apply(const struct osw_matmul_batch *p, int n_vectors,
                      const double *x, double *bx, double *to)
{
    size_t n = (size_t)n_vectors * (size_t)p->b.rows;

    memset(bx, 0, n * sizeof(*bx));
    osw_matrix_apply(&p->b, n_vectors, x, bx);
    osw_matrix_apply(&p->a, n_vectors, bx, to);
    if (p->plus.data)
        osw_matrix_apply(&p->plus, n_vectors, x, to);
}
