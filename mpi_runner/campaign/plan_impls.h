/* mpi_runner/campaign/plan_impls.h - which implementations and cells a campaign
 * wants
 *
 * Upstream: plan_make.c, `opsweep list`.
 */
#ifndef OSW_MPI_RUNNER_PLAN_IMPLS_H
#define OSW_MPI_RUNNER_PLAN_IMPLS_H

#include "mpi_runner/campaign/planner.h"

/* Does --impls choose it?  By name, "plain", or as printed: "mm__plain". */
bool osw_plan_impls_match(const struct osw_campaign *c, const struct osw_op *op,
                          const char *impl);

int osw_plan_impls_check(const struct osw_planner *p,
                         const struct osw_suite_item *items,
                         size_t n) OSW_MUST_CHECK;

/* Make p->impls those of the op, which may be NULL. */
int osw_plan_impls_of(struct osw_planner *p,
                      const struct osw_op *op) OSW_MUST_CHECK;

/* Does the campaign want the cell, or all? */
bool osw_plan_impls_wants_cell(struct osw_planner *p, uint64_t key);

/* A key that no cell has is a typing mistake, or of other cases. */
int osw_plan_impls_check_cells(struct osw_planner *p) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_PLAN_IMPLS_H */
