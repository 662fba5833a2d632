/* mpi_runner/diagnose/confirm.h - runs of two campaigns in turns, for what
 * looks changed
 *
 * Each campaign is that of a result file, cut down to the cells that are open
 * still; of a merged file there is one for each of its runs that has any.
 * Base and new take turns, ABBAAB..., so that a drift of the machine affects
 * both alike.
 *
 * Upstream: `opsweep compare`.  Downstream: `opsweep run`,
 * results/compare/compare_confirm.h.
 */
#ifndef OSW_MPI_RUNNER_CONFIRM_H
#define OSW_MPI_RUNNER_CONFIRM_H

#include "common/error.h"
#include "results/compare/compare.h"

struct osw_confirm_config {
    unsigned n;            /* runs of each side, at least */
    const char *base_root; /* op folders of the base; NULL: those of its run */
    const char *new_root;  /* likewise */
};

/* Write the campaign of the new file, cut down to the suspicions, to `path`:
 * `opsweep run` takes it.  0; -1 with err set: OSW_NOTHING when there is no
 * suspicion, OSW_BAD_INPUT when they are of several runs that were merged, or
 * the op folders are not there, OSW_SYSTEM.
 */
int osw_confirm_emit(struct osw_compare *c,
                     const struct osw_confirm_config *config, const char *path,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Run and settle, until nothing is open or all rounds are taken.  Blocks; says
 * on standard error what runs.  Without suspicions nothing is run.  0, or -1
 * with err set, which names file and run: OSW_BAD_INPUT, OSW_INCOMPLETE with
 * the log that stays (or it was asked to stop, and nothing stays), OSW_SYSTEM,
 * OSW_NO_MEMORY.
 */
int osw_confirm_run(struct osw_compare *c,
                    const struct osw_confirm_config *config,
                    struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_CONFIRM_H */
