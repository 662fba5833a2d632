/* ops/library/any/find_runs.h - stops at the first block with an element that
 * is FOUND(v), which a file defines before it includes this
 */
#ifndef OSW_LIBRARY_FIND_RUNS_H
#define OSW_LIBRARY_FIND_RUNS_H

#include "../shared/runs.h"
#include "any.h"

#define BLOCK 2048

static int find_in(const double *x, int64_t n)
{
    int found = 0;

    for (int64_t i = 0; i < n; i++)
        found |= FOUND(x[i]);
    return found;
}

/* Is an element FOUND?  Of at most OSW_RULE_DIMS dimensions. */
static int find(const osw_tensor *x)
{
    struct osw_run_view view;
    double block[BLOCK];
    int found = 0;

    osw_run_view_of(&view, x, x->ndim, x->shape);
    for (int64_t at = 0, n = osw_numel(x); at < n && !found; at += BLOCK) {
        int64_t m = n - at < BLOCK ? n - at : BLOCK;

        osw_run_move(&view, at, m,
                     osw_run_row_of(x->dtype)->read[OSW_RUN_DOUBLE], 0,
                     (char *)block, sizeof(double));
        found = find_in(block, m);
    }
    return found;
}

#endif /* OSW_LIBRARY_FIND_RUNS_H */
