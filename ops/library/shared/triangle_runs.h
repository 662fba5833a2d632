/* shared/triangle_runs.h - matrices copied in runs, then what is beyond a
 * diagonal is cleared, row by row
 */
#ifndef OSW_LIBRARY_TRIANGLE_RUNS_H
#define OSW_LIBRARY_TRIANGLE_RUNS_H

#include "copying.h"
#include "triangle.h"

static inline int osw_triangle_runs(const osw_call *call,
                                    enum osw_triangle_part part)
{
    struct osw_triangle t = {0};
    int rc = osw_triangle_open(call, &t, part);

    if (!rc)
        rc = osw_copy_run(call, t.out, t.self);
    if (rc)
        return rc;
#pragma omp parallel for num_threads((int)call->n_threads) if (t.n_rows > 1000)
    for (int64_t row = 0; row < t.n_rows; row++)
        osw_triangle_clear(&t, row, t.out->dtype.bits / 8);
    return 0;
}

#endif /* OSW_LIBRARY_TRIANGLE_RUNS_H */
