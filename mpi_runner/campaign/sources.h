/* mpi_runner/campaign/sources.h - the files that a plan's cells are made of
 *
 * Of each op: the implementations that the plan names, baseline, references,
 * gen_input.* and op.json, and what those in C and CUDA include in quotes from
 * where they lie, named as seen from the op's folder: "twice.h", "../copy.cuh".
 * Not: opsweep's and the system's headers, modules that Python imports.
 *
 * Upstream: plan.c.  Downstream: a new run stores them, one that goes on
 * compares (resume.c).
 */
#ifndef OSW_MPI_RUNNER_SOURCES_H
#define OSW_MPI_RUNNER_SOURCES_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "mpi_runner/campaign/plan.h"
#include "results/journal/entry.h"

/* All files, each once per op, in the plan's order; in the arena.  One that
 * cannot be hashed (too large, not a file) has zeros.  Returns 0, or -1 with
 * err set (OSW_NO_MEMORY).
 */
int osw_sources_load(osw_arena_t *arena, const struct osw_plan *plan,
                     const struct osw_run_source **sources, size_t *n,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_SOURCES_H */
