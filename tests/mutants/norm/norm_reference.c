/* norm_reference.c - layer norm in double, mean and variance in two passes */
#include "norm.h"

struct exact {
    struct norm g;
    double eps, *value;
};

ITEM void row(const struct exact *e, int64_t r)
{
    const struct norm *g = &e->g;
    double mean = 0, squares = 0, scale;

    for (int64_t j = 0; j < g->n; j++)
        mean += view_get(&g->x, r * g->n + j);
    mean /= (double)g->n;
    for (int64_t j = 0; j < g->n; j++) {
        double d = view_get(&g->x, r * g->n + j) - mean;

        squares += d * d;
    }
    scale = 1.0 / sqrt(squares / (double)g->n + e->eps);
    for (int64_t j = 0; j < g->n; j++)
        e->value[r * g->n + j] = (view_get(&g->x, r * g->n + j) - mean) *
                                     scale * view_get(&g->w, j) +
                                 view_get(&g->b, j);
}

EACH(row, struct exact)

EXPORT int norm_meta(const osw_call *call)
{
    struct norm g;

    return norm_open(call, &g);
}

EXPORT int norm_reference(const osw_call *call)
{
    struct exact e;
    int rc = norm_open(call, &e.g);

    if (rc)
        return rc;
    e.eps = osw_arg_float(call, 3, 1e-5);
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    row_each(call, &e, e.g.rows);
    return 0;
}
