/* mpi_runner/generate/winners.h - what won, as a campaign of its own
 *
 * Its implementations are all called "llm", so that campaigns of several runs
 * can be compared, and its seed is that of the campaign that was asked for.
 *
 * Upstream: `opsweep run --backend llm`.  Downstream: wave.h, rows.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_WINNERS_H
#define OSW_MPI_RUNNER_GENERATE_WINNERS_H

#include "mpi_runner/generate/final.h"

#define OSW_WINNERS_IMPL "llm"

/* Judge the chosen kernel of each op, or where none is right the best one, on
 * all cases, and leave the result file `to` with the rows of the run.  Returns
 * 0, or -1 with err set: OSW_NOTHING, no op has a kernel that could be judged.
 */
int osw_winners_run(const struct osw_drive_config *config,
                    const struct osw_tasks *tasks, osw_asked_t *asked,
                    const struct osw_drive_result *result, const char *to,
                    struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_WINNERS_H */
