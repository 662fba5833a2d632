/* shared/plain_norm.h - baselines: rows of layer norm and its backward */
#ifndef OSW_LIBRARY_PLAIN_NORM_H
#define OSW_LIBRARY_PLAIN_NORM_H

#include "layer_norm.h"
#include "plain_rows.h"

struct osw_plain_norm {
    const struct osw_layer_norm *l;
    osw_dtype in;        /* the type of the arithmetic */
    char *weight, *bias; /* [n] of that type */
    char *scratch;       /* of the rows */
    double *sums;        /* [2 n], of the backward */
};

/* t as a matrix [n_rows..., n]; 0 where its rows have no single stride. */
static inline int osw_plain_norm_view(const struct osw_layer_norm *l,
                                      const osw_tensor *t, struct osw_view *v)
{
    int64_t stride = osw_layer_norm_stride(l, t);

    if (stride < 0 || !osw_view_of(v, t))
        return 0;
    v->t.ndim = l->n_outer + 1;
    v->shape[l->n_outer] = l->n;
    v->strides[l->n_outer] = stride;
    return 1;
}

/* weight or bias, or the constant that it stands for: to [n] */
static inline int osw_plain_norm_vector(const osw_call *call,
                                        const struct osw_plain_norm *p,
                                        const osw_tensor *t, double constant,
                                        char *to)
{
    struct osw_view v;
    osw_tensor vector = *p->l->x;

    vector.data = to;
    vector.byte_offset = 0;
    vector.dtype = p->in;
    osw_view_as(&v, &vector, 1, &p->l->n);
    if (!t)
        return osw_plain_fill(call, &v.t, constant);
    osw_view_as(&v, &vector, t->ndim, t->shape);
    return osw_plain_copy(call, &v.t, t);
}

static inline int osw_plain_norm_open(const osw_call *call,
                                      struct osw_plain_norm *p,
                                      const struct osw_layer_norm *l)
{
    int64_t n = l->n;
    size_t rows = (size_t)(3 * 8 * n) * call->n_threads + 8;
    int rc;

    if (l->x->ndim >= OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    p->l = l;
    p->in = osw_plain_arithmetic(l->x->dtype);
    p->sums = (double *)osw_workspace(call, (size_t)(4 * 8 * n) + rows);
    if (!p->sums)
        return OSW_ERROR;
    p->weight = (char *)(p->sums + 2 * n);
    p->bias = p->weight + 8 * n;
    p->scratch = p->bias + 8 * n;
    rc = osw_plain_norm_vector(call, p, l->weight, 1.0, p->weight);
    return rc ? rc : osw_plain_norm_vector(call, p, l->bias, 0.0, p->bias);
}

/* The work on every row of x, and of grad where it is not NULL. */
static inline int osw_plain_norm_run(const osw_call *call,
                                     const struct osw_plain_norm *p,
                                     const osw_tensor *grad,
                                     const osw_tensor *out,
                                     osw_plain_row_work *work)
{
    struct osw_view vx, vg, vo;
    struct osw_rows x, g, o;
    struct osw_plain_rows rows = {.x = &x, .out = &o};
    int32_t dim = p->l->n_outer;

    if (!osw_plain_norm_view(p->l, p->l->x, &vx) ||
        !osw_plain_norm_view(p->l, out, &vo) ||
        (grad && !osw_plain_norm_view(p->l, grad, &vg)))
        return OSW_UNSUPPORTED;
    x = osw_rows_of(&vx.t, dim);
    o = osw_rows_of(&vo.t, dim);
    if (grad) {
        g = osw_rows_of(&vg.t, dim);
        rows.g = &g;
    }
    rows.in = p->in;
    rows.work = work;
    rows.context = p;
    return osw_plain_each_row(call, &rows, p->scratch);
}

#endif /* OSW_LIBRARY_PLAIN_NORM_H */
