/* mpi_runner/campaign/cost_predict.h - how long a plan takes, by what its cells
 * took before
 *
 * A cell is predicted to take what it took in earlier result files
 * (--history).  One that is in none of them takes as much longer than its size
 * suggests (cost.h) as other cells of its implementation do, else of its op,
 * else as this machine's cache says of the op, else as all that is known.
 *
 * Upstream: plan_load.c made the plan.  Downstream: the scheduler begins with
 * what takes long; shard.h splits; `opsweep plan` and `run` print it.
 */
#ifndef OSW_MPI_RUNNER_COST_PREDICT_H
#define OSW_MPI_RUNNER_COST_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/cost_history.h"
#include "mpi_runner/campaign/plan.h"
#include "ops/build/build_cache.h"

/* Set expect_ns of all bundles and of the plan, n_known, and balance_ns as far
 * as result files say something: the cache of one machine is no part of it.
 * Limits and deadlines stay as they are.  history may be NULL.  Returns 0, or
 * -1 with err set (OSW_NO_MEMORY).
 */
int osw_cost_predict(osw_cost_history_t *history, struct osw_plan *plan,
                     struct osw_error *err) OSW_MUST_CHECK;

/* The history that a campaign asks for, cache and result files, and the plan by
 * it.  The caller gives *history to osw_cost_history_cache_close(), with what
 * `path` became.  With `optional`, a result file that cannot be read is only
 * logged; with `quiet`, nothing is.  Returns 0, or -1 with err set: as
 * osw_cost_history_files(), and *history is NULL.
 */
int osw_cost_predict_plan(const struct osw_campaign *c, bool optional,
                          bool quiet, struct osw_plan *plan,
                          osw_cost_history_t **history,
                          char path[OSW_BUILD_MAX_PATH],
                          struct osw_error *err) OSW_MUST_CHECK;

/* Of a plan, or of what is left of it. */
struct osw_cost_prediction {
    int64_t work_ns; /* of all workers together */
    int64_t wall_ns; /* by the clock: at least the longest bundle */
    uint32_t n_workers;
    uint64_t n_cells, n_known; /* that run; whose duration earlier runs tell */
};

/* For n_workers, at least 1.  states[osw_plan_n_numbers()] of cells that are
 * done (not OSW_STATE_NONE); NULL: none is.  Pure.
 */
struct osw_cost_prediction osw_cost_predict_wall(const struct osw_plan *plan,
                                                 const uint8_t *states,
                                                 uint32_t n_workers);

/* Append seconds as people read them: "0:42", "1:02:05". */
void osw_cost_predict_print(double seconds, struct osw_text *out);

#endif /* OSW_MPI_RUNNER_COST_PREDICT_H */
