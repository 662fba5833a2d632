/* worker/bundle.h - what a worker is told to judge
 *
 * Upstream: mpi_runner's worker loop.  Downstream: worker/judge.
 */
#ifndef OSW_WORKER_BUNDLE_H
#define OSW_WORKER_BUNDLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "ops/record/record.h"
#include "worker/gang.h"

/* Cases with inputs of at most so many bytes are judged in the host's memory,
 * for a device too, and many together when no times are wanted.
 */
enum { OSW_WORKER_SMALL_BYTES = 256 * 1024 };

/* One bundle: all cells of one (op, case).  Everything is borrowed. */
struct osw_bundle {
    uint64_t first_cell;   /* cell k is first_cell + k */
    uint32_t attempt;      /* from 1 */
    const char *op_dir;    /* the op's folder */
    const char *case_text; /* case notation */
    const char *fill; /* fills of its tensors in order: see ops/inputs/fill.h */
    /* The op's smallest case, which new processes see first, and its fills;
     * NULL: this is it, or there is no other.
     */
    const char *warm_up, *warm_up_fill;
    const char *baselines; /* best first: see ops/catalog/baselines.h */
    enum osw_check check;  /* FULL or FREIVALDS, as planned */
    bool time;             /* performance case: timings are wanted */
    double flops, bytes;   /* as planned; NaN: unknown */
    int64_t cost_ns;       /* predicted, of all cells and their timing */
    int64_t call_ns;       /* predicted, of one call of one implementation */
    uint64_t digest;       /* of values that gen_input.py made; 0: unknown */
    const struct osw_gang *gang; /* of a collective op's cell; NULL: none */
    uint32_t n_impls;
    const char *const *impls;  /* [n_impls] names: <op>_<name>.c */
    const uint64_t *cell_keys; /* [n_impls] */
};

/* A case by itself, outside of a plan: no cells, no times. */
static inline struct osw_bundle
osw_bundle_of_case(const char *op_dir, const char *case_text, const char *fill)
{
    return (struct osw_bundle){.attempt = 1,
                               .op_dir = op_dir,
                               .case_text = case_text,
                               .fill = fill,
                               .baselines = "",
                               .check = OSW_CHECK_FULL,
                               .flops = NAN,
                               .bytes = NAN};
}

#endif /* OSW_WORKER_BUNDLE_H */
