/* mpi_runner/commands/result_files.h - result files by name and by folder
 *
 * Upstream: a command's operands.  Downstream: commands that take many.
 */
#ifndef OSW_MPI_RUNNER_RESULT_FILES_H
#define OSW_MPI_RUNNER_RESULT_FILES_H

#include <stddef.h>

#include "common/error.h"

enum { OSW_RESULT_FILES_MAX = 10000 };

struct osw_result_files {
    char **paths; /* [n] */
    size_t n;
    char **twice; /* [n_twice] names of files that were there before */
    size_t n_twice;
};

/* Each operand is a file, or a folder whose *.h5 count, by name; a file that is
 * named twice counts once.  Returns 0, or -1 with err set: OSW_BAD_INPUT (it is
 * not there, too many), OSW_NOTHING (a folder without such files),
 * OSW_NO_MEMORY; *out is for osw_result_files_free() either way.
 */
int osw_result_files(const char *const *operands, size_t n,
                     struct osw_result_files *out,
                     struct osw_error *err) OSW_MUST_CHECK;
void osw_result_files_free(struct osw_result_files *files);

#endif /* OSW_MPI_RUNNER_RESULT_FILES_H */
