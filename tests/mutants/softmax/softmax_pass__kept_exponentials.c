/* softmax_pass__kept_exponentials.c - exponentials to a workspace, used twice
 *
 */
#include "softmax.h"

ITEM void row(const struct softmax *g, int64_t r)
{
    float *kept = g->scratch + r * g->n, max = softmax_max(g, r), sum = 0;

    for (int64_t j = 0; j < g->n; j++) {
        kept[j] = expf(softmax_x(g, r, j) - max);
        sum += kept[j];
    }
    for (int64_t j = 0; j < g->n; j++)
        softmax_set(g, r, j, (double)(kept[j] / sum));
}

EACH(row, struct softmax)

int softmax_kernel_impl(const osw_call *call)
{
    struct softmax g;
    int rc = softmax_open(call, &g);

    if (rc)
        return rc;
    g.scratch = (float *)osw_workspace(call, (size_t)(g.rows * g.n + 1) *
                                                 sizeof(float));
    if (!g.scratch)
        return OSW_ERROR;
    row_each(call, &g, g.rows);
    return 0;
}
