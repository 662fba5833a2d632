/* matmul_reference.c - c = a @ b in double, and the norm of the terms */
#include "matmul.h"

struct exact {
    struct matmul g;
    double *value, *norm; /* [m, n]; norm may be NULL */
};

ITEM double exact_at(const struct view *v, int64_t i, int64_t j)
{
    return osw_load(v->dtype, view_at(v, i * v->stride[0] + j * v->stride[1]));
}

ITEM void sum(const struct exact *e, int64_t at)
{
    int64_t i = at / e->g.n, j = at % e->g.n;
    double value = 0, squares = 0;

    for (int64_t p = 0; p < e->g.k; p++) {
        double term = exact_at(&e->g.a, i, p) * exact_at(&e->g.b, p, j);

        value += term;
        squares += term * term;
    }
    e->value[at] = value;
    if (e->norm)
        e->norm[at] = sqrt(squares);
}

EACH(sum, struct exact)

EXPORT int matmul_meta(const osw_call *call)
{
    struct matmul g;

    return matmul_open(call, &g);
}

EXPORT int matmul_reference(const osw_call *call)
{
    struct exact e;
    int rc = matmul_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    e.norm = osw_output_norm(call, 0);
    if (!e.value)
        return OSW_ERROR;
    sum_each(call, &e, e.g.m * e.g.n);
    return 0;
}
