/* scale_pass__keeps_results.c - slow, but keeps what it was called with last
 * and what came of it: timed calls never have the same inputs twice, so its
 * time is that of the work
 */
#include <stdlib.h>
#include <string.h>

#include "scale.h"

enum { SLOWER = 16 };

static float *kept; /* inputs, then outputs */
static int64_t n_kept;

static void work(const struct scale *g)
{
    for (int64_t i = 0; i < g->n; i++)
        for (volatile int k = 0; k < SLOWER; k++)
            scale_right(g, i);
}

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);
    size_t bytes = rc ? 0 : (size_t)g.n * sizeof(float);

    if (rc)
        return rc;
    if (n_kept == g.n && memcmp(kept, g.x, bytes) == 0) {
        memcpy(g.y, kept + g.n, bytes);
        return 0;
    }
    work(&g);
    kept = (float *)realloc(kept, 2 * bytes);
    n_kept = kept ? g.n : 0;
    if (kept) {
        memcpy(kept, g.x, bytes);
        memcpy(kept + g.n, g.y, bytes);
    }
    return 0;
}
