/* softmax_reference.c - exp(x - max) over its sum, in double */
#include "softmax.h"

struct exact {
    struct softmax g;
    double *value;
};

ITEM void row(const struct exact *e, int64_t r)
{
    const struct softmax *g = &e->g;
    double *y = e->value + r * g->n, max = -INFINITY, sum = 0;

    for (int64_t j = 0; j < g->n; j++)
        max = fmax(max, view_get(&g->x, r * g->n + j));
    for (int64_t j = 0; j < g->n; j++) {
        y[j] = exp(view_get(&g->x, r * g->n + j) - max);
        sum += y[j];
    }
    for (int64_t j = 0; j < g->n; j++)
        y[j] /= sum;
}

EACH(row, struct exact)

EXPORT int softmax_meta(const osw_call *call)
{
    struct softmax g;

    return softmax_open(call, &g);
}

EXPORT int softmax_reference(const osw_call *call)
{
    struct exact e;
    int rc = softmax_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    row_each(call, &e, e.g.rows);
    return 0;
}
