/* mpi_runner/campaign/revision.h - which revision of their repository the ops
 * are
 *
 * Upstream: plan.c.  Downstream: a new run stores it in its environment,
 * `opsweep history` says at which one something changed, and `opsweep compare`
 * takes files from it.
 */
#ifndef OSW_MPI_RUNNER_REVISION_H
#define OSW_MPI_RUNNER_REVISION_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi_runner/campaign/plan.h"

/* The environment of this process, in `memory`, ended by NULL, with
 * OPSWEEP_REVISION, unless that is set: what `git rev-parse` says in the
 * folders of the plan's ops, followed by "+" where files differ from it;
 * several are separated by ", ".  Without git, or outside of repositories,
 * there is none.  Strings of the environment are not copied.  Blocks for some
 * 10 ms, 2 s a folder at the most.  NULL without memory.
 */
const char *const *osw_revision_environment(osw_arena_t *memory,
                                            const struct osw_plan *plan);

/* Put the files that the folder `dir` had at one of `revisions` (as stored)
 * into the new folder `into`: number `nth` of them, from 0.  Needs git and tar.
 * Blocks, a minute at the most.  False: there is no such revision.
 */
bool osw_revision_extract(const char *dir, const char *revisions, size_t nth,
                          const char *into);

#endif /* OSW_MPI_RUNNER_REVISION_H */
