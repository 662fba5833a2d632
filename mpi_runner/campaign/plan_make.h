/* mpi_runner/campaign/plan_make.h - what becomes of the cases of a suite
 *
 * Upstream: plan_load.c.  Pure.
 */
#ifndef OSW_MPI_RUNNER_PLAN_MAKE_H
#define OSW_MPI_RUNNER_PLAN_MAKE_H

#include "mpi_runner/campaign/plan.h"

/* Decide what becomes of the items, whose texts stay in the arena.  The items
 * themselves are given up as they are looked at: they are not to be read
 * afterwards.
 */
int osw_plan_make(osw_arena_t *arena, const struct osw_campaign *campaign,
                  struct osw_suite_list *list, struct osw_plan *plan,
                  struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_PLAN_MAKE_H */
