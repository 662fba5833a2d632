/* mpi_runner/campaign/shard.h - the part of a campaign that one job judges
 *
 * N jobs with `--shard 1/N` to `--shard N/N` make the same plan and split it in
 * the same way, without talking to each other: the split depends on the order
 * of the cells and on predicted costs, and on nothing of the node.  All cells
 * of a bundle stay in one shard.
 *
 * Upstream: plan_load.c made the plan.  Downstream: run_start.c stores which
 * shard it is; results/export/merge.h joins them.
 */
#ifndef OSW_MPI_RUNNER_SHARD_H
#define OSW_MPI_RUNNER_SHARD_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/plan.h"

enum { OSW_SHARD_MAX = 4096 }; /* of one campaign */

/* Shard `index` of n, from 1; n 0: the whole campaign. */
struct osw_shard {
    uint32_t index, n;
};

/* "2/8".  NULL is the whole campaign.  Returns 0, or -1 with err set
 * (OSW_BAD_INPUT).
 */
int osw_shard_parse(const char *word, struct osw_shard *out,
                    struct osw_error *err) OSW_MUST_CHECK;

/* A bundle, for the split. */
struct osw_shard_item {
    uint32_t op;     /* bundles of one op have the same number */
    int64_t cost_ns; /* less than 1 counts as 1 */
};

/* Which shard, from 0, each of the n items is in: shard_of[n].  Pure: the same
 * items give the same split.  Needs 1 <= n_shards <= n, and then no shard is
 * empty.  Large items are spread first; of the others shards take whole ops
 * where they fit, so that each compiles few of them.  Loads differ by no more
 * than the largest item.  Returns 0, or -1
 * without memory.
 */
int osw_shard_split(const struct osw_shard_item *items, size_t n,
                    uint32_t n_shards, uint32_t *shard_of) OSW_MUST_CHECK;

/* Leave in the plan what the shard judges, and note in plan->shard what the
 * whole was.  Cells keep their numbers of the whole plan.  Nothing changes for
 * the whole campaign.  Returns 0, or -1 with err set: OSW_BAD_INPUT (more
 * shards than cases), OSW_NO_MEMORY.
 */
int osw_shard_take(const struct osw_campaign *campaign, struct osw_shard shard,
                   struct osw_plan *plan, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_SHARD_H */
