/* mpi_runner/commands/run_form.h - which form of `opsweep run` a line asks for
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_RUN_FORM_H
#define OSW_MPI_RUNNER_RUN_FORM_H

#include "common/cli/cli.h"

/* That of `--backend llm`, where the command line says so or else the file of
 * the campaign; or NULL.
 */
const struct osw_cmd *osw_run_form(int argc, const char *const *argv);

#endif /* OSW_MPI_RUNNER_RUN_FORM_H */
