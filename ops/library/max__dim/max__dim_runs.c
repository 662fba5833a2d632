/* ops/library/max__dim/max__dim_runs.c - in runs of floats, over threads:
 * across the slices of a part, or along dim where a slice is one element
 */
#include "max.h"

#include <math.h>

enum { RUN = 256 };

/* Of columns [first, first + n) of a part. */
static void columns(const struct osw_max *m, int64_t outer, int64_t first,
                    int64_t n)
{
    osw_dtype t = m->values->dtype;
    int64_t *places = (int64_t *)osw_at(m->places, outer * m->x.inner + first);
    float run[RUN], best[RUN];
    int32_t place[RUN];

    osw_convert_read(t, osw_slices_at(&m->x, outer, 0, first), 1, n, best);
    for (int64_t j = 0; j < n; j++)
        place[j] = 0;
    for (int64_t i = 1; i < m->x.n; i++) {
        osw_convert_read(t, osw_slices_at(&m->x, outer, i, first), 1, n, run);
#pragma omp simd
        for (int64_t j = 0; j < n; j++) {
            int larger = ((run[j] > best[j]) | (run[j] != run[j])) &
                         (best[j] == best[j]);

            best[j] = larger ? run[j] : best[j];
            place[j] = larger ? (int32_t)i : place[j];
        }
    }
    osw_convert_write(t, best, n, 1,
                      osw_at(m->values, outer * m->x.inner + first));
    for (int64_t j = 0; j < n; j++)
        places[j] = place[j];
}

/* Of one row along dim: the largest, and whether there is a NaN, of each run;
 * where it is only of those that are larger than all before.
 */
static void row(const struct osw_max *m, int64_t outer)
{
    osw_dtype t = m->values->dtype;
    int64_t place = 0, n;
    float run[RUN], best = 0.0f;

    for (int64_t i = 0; i < m->x.n; i += n) {
        float most = -INFINITY;
        int nan = 0;

        n = m->x.n - i < RUN ? m->x.n - i : RUN;
        osw_convert_read(t, osw_slices_at(&m->x, outer, i, 0), m->x.stride, n,
                         run);
#pragma omp simd reduction(max : most) reduction(| : nan)
        for (int64_t j = 0; j < n; j++) {
            nan |= run[j] != run[j];
            most = run[j] > most ? run[j] : most;
        }
        for (int64_t j = 0; j < n && (nan || i == 0 || most > best); j++)
            if (nan ? run[j] != run[j] : run[j] == most) {
                best = run[j];
                place = i + j;
                break;
            }
        if (nan)
            break;
    }
    osw_convert_write(t, &best, 1, 1, osw_at(m->values, outer));
    *(int64_t *)osw_at(m->places, outer) = place;
}

int max__dim_kernel_impl(const osw_call *call)
{
    struct osw_max m = {0};
    int rc = osw_max_open(call, &m);
    int64_t inner = m.x.inner, parts = (inner + RUN - 1) / RUN;

    if (rc)
        return rc;
    if (!osw_convert_knows(m.values->dtype) || !m.x.dense || m.x.n > INT32_MAX)
        return OSW_UNSUPPORTED;
#pragma omp parallel for num_threads((int)call->n_threads) collapse(2)         \
    schedule(static) if (osw_numel(m.x.tensor) > 65536)
    for (int64_t outer = 0; outer < m.x.n_outer; outer++)
        for (int64_t k = 0; k < parts; k++)
            if (inner == 1)
                row(&m, outer);
            else
                columns(&m, outer, k * RUN,
                        inner - k * RUN < RUN ? inner - k * RUN : RUN);
    return 0;
}
