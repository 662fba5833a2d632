/* mpi_runner/generate/confine.h - what generated code may read
 *
 * A compiler's message quotes a line of a file that code includes, and what
 * code reads may end in a message, too: both would go back to the endpoint.  So
 * campaigns of a run give code and compilers the folders that they need, in
 * OPSWEEP_READABLE, and a build cache of their own.
 *
 * Upstream: `opsweep generate`.  Downstream: common/confine.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_CONFINE_H
#define OSW_MPI_RUNNER_GENERATE_CONFINE_H

#include <stdbool.h>

#include "mpi_runner/generate/ask/asked.h"
#include "mpi_runner/generate/tasks.h"

/* Set the variables of this process, for the campaigns that it starts; what
 * OPSWEEP_READABLE lists already stays.  Returns 0, or -1 with err set.
 */
int osw_generate_confine(const osw_asked_t *asked,
                         const struct osw_tasks *tasks,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Is it in force?  Else what it needs. */
const char *osw_generate_confine_lacks(void);

/* Can tools watch code on that device?  compute-sanitizer and ncu put a part of
 * theirs into its process, which talks to them by TCP: isolated code cannot
 * make such a socket.
 */
bool osw_generate_confine_lets_tools(const char *device);

#endif /* OSW_MPI_RUNNER_GENERATE_CONFINE_H */
