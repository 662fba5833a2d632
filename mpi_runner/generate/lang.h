/* mpi_runner/generate/lang.h - languages that kernels are asked for in
 *
 * Upstream: --lang.  To add one, write its name and its row in lang.c, and
 * templates/contract_NAME.txt, which template.c lists.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_LANG_H
#define OSW_MPI_RUNNER_GENERATE_LANG_H

#include <stdbool.h>
#include <stddef.h>

struct osw_lang {
    const char *name;     /* "triton" */
    const char *suffix;   /* ".py" */
    const char *device;   /* kind that it is for; NULL: any */
    const char *contract; /* template: what is asked for */
    bool python;          /* comments and blanks are those of Python */
};

extern const char *const osw_lang_names[]; /* up to a NULL */

/* The row by its index in the names. */
const struct osw_lang *osw_lang_at(int i);

#endif /* OSW_MPI_RUNNER_GENERATE_LANG_H */
