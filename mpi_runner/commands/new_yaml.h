/* mpi_runner/commands/new_yaml.h - op folders from an ExecuTorch file of
 * operators
 *
 * Upstream: mpi_runner/commands/cmd_new.c.
 */
#ifndef OSW_MPI_RUNNER_NEW_YAML_H
#define OSW_MPI_RUNNER_NEW_YAML_H

#include "common/arena.h"
#include "common/error.h"

struct osw_new_yaml {
    const char *yaml;    /* a file: ops/notation/ops_yaml.h */
    const char *sources; /* C++ files of the kernels, commas between them */
    const char *root;    /* of the folders */
};

/* Write a folder for each operator, with a file for each of its kernels; where
 * the folder is there, only the latter.  Overwrites nothing.  Prints files, and
 * what was left out with the reason.  Returns 0, 1 when something was left out,
 * or -1 with err set: OSW_BAD_INPUT, OSW_SYSTEM, OSW_NO_MEMORY.
 */
int osw_new_yaml(osw_arena_t *arena, const struct osw_new_yaml *n,
                 struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_NEW_YAML_H */
