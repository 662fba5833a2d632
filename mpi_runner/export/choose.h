/* mpi_runner/export/choose.h - which implementations of an op are exported
 *
 * Upstream: a result file.  Downstream: `opsweep export-ops`.
 */
#ifndef OSW_MPI_RUNNER_CHOOSE_H
#define OSW_MPI_RUNNER_CHOOSE_H

#include "common/arena.h"
#include "common/error.h"
#include "ops/export/export.h"
#include "results/file/file.h"

/* One implementation's cells of an op on a kind of device. */
struct osw_judged {
    const char *impl;
    uint64_t n_pass, n_bad; /* bad: failed or ended in an error */
    uint32_t bad_state;     /* of the first bad cell */
    uint64_t n_timed;
    double slowdown; /* geometric mean of time / the case's best, >= 1; NaN */
};

/* All implementations that the file has cells of, the best first: no bad cell
 * and one that passed, by slowdown; then the others.  Lives in the arena.
 * Returns 0, or -1 with err set.
 */
int osw_judged_read(osw_arena_t *arena, const osw_file_t *file,
                    const struct osw_op *op, enum osw_export_device device,
                    struct osw_judged **out, size_t *n,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Choose what goes into the package of the implementations of `op` (as loaded
 * for that device) that a package can build.  file NULL: all, `unjudged`.
 * With both, the judged ones come first and those without cells follow; one
 * with a bad cell is never taken.  Returns 0, or -1 with err set;
 * out->n_impls[device] is 0 when none is left, and then *why says why.
 */
int osw_choose(osw_arena_t *arena, const osw_file_t *file, bool unjudged,
               const struct osw_op *op, enum osw_export_device device,
               struct osw_export_op *out, const char **why,
               struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_CHOOSE_H */
