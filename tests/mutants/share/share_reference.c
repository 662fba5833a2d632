/* share_reference.c - the mean over the last dimension in double, and its norm
 */
#include "share.h"

struct exact {
    struct share g;
    double *value, *norm;
};

ITEM void mean(const struct exact *e, int64_t row)
{
    double sum = 0, squares = 0, n = (double)e->g.n;

    for (int64_t j = 0; j < e->g.n; j++) {
        double x = share_x(&e->g, row, j);

        sum += x;
        squares += x * x;
    }
    e->value[row] = sum / n;
    if (e->norm)
        e->norm[row] = sqrt(squares) / n;
}

EACH(mean, struct exact)

EXPORT int share_meta(const osw_call *call)
{
    struct share g;

    return share_open(call, &g);
}

EXPORT int share_reference(const osw_call *call)
{
    struct exact e;
    int rc = share_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    e.norm = osw_output_norm(call, 0);
    if (!e.value)
        return OSW_ERROR;
    mean_each(call, &e, e.g.rows);
    return 0;
}
