/* mpi_runner/campaign/plan_check.h - which check the budgets of a campaign
 * allow for a case
 *
 * Upstream: plan_make.c.
 */
#ifndef OSW_MPI_RUNNER_PLAN_CHECK_H
#define OSW_MPI_RUNNER_PLAN_CHECK_H

#include "mpi_runner/campaign/planner.h"

/* Everything about an op's case but its cells. */
int osw_plan_check_choose(struct osw_planner *p,
                          const struct osw_suite_item *item,
                          struct osw_plan_draft *d) OSW_MUST_CHECK;

/* Fewer cells are wanted than could run: the cost is theirs. */
void osw_plan_check_recount(const struct osw_planner *p,
                            struct osw_plan_draft *d);

#endif /* OSW_MPI_RUNNER_PLAN_CHECK_H */
