/* mpi_runner/commands.h - all commands of the program
 *
 * Downstream: mpi_runner/main.c, and the test of their options.
 */
#ifndef OSW_MPI_RUNNER_COMMANDS_H
#define OSW_MPI_RUNNER_COMMANDS_H

#include <stddef.h>

#include "common/cli/command.h"

/* [osw_n_commands], in the order of --help */
extern const struct osw_cmd *const osw_commands[];
extern const size_t osw_n_commands;

#endif /* OSW_MPI_RUNNER_COMMANDS_H */
