/* mpi_runner/ranks/ledger.h - every planned cell ends in exactly one state
 *
 * Stands between the coordinator and the result file: takes records, refuses a
 * second one for a cell, counts states, says when to commit, and at the end
 * proves that the totals equal the plan.
 *
 * Upstream: coordinator.c.  Downstream: a sink, which is results/file/run.h in
 * a campaign, and an array in tests.
 */
#ifndef OSW_MPI_RUNNER_LEDGER_H
#define OSW_MPI_RUNNER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/campaign/plan.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/file/run.h"

/* Where results go: the functions of results/file/run.h, by name.  A failure
 * ends the campaign.
 */
struct osw_sink_ops {
    int (*device)(void *sink, const char *host,
                  const struct osw_device_info *device, int32_t rank,
                  struct osw_error *err);
    int (*unsound)(void *sink, const struct osw_device_info *device,
                   int32_t rank, struct osw_error *err);
    int (*begin)(void *sink, uint64_t cell, int32_t rank, uint32_t attempt,
                 struct osw_error *err);
    int (*result)(void *sink, const struct osw_record *record,
                  const struct osw_cell_names *names, struct osw_error *err);
    int (*event)(void *sink, enum osw_event_kind kind, int32_t rank,
                 int64_t value, const char *text, struct osw_error *err);
    int (*rank)(void *sink, const struct osw_rank_summary *summary,
                struct osw_error *err);
    bool (*commit_due)(const void *sink, int64_t now_ns);
    int (*commit)(void *sink, struct osw_error *err);
    int (*push)(void *sink, struct osw_error *err);
};

/* Into a result file: the sink is an osw_run_t. */
extern const struct osw_sink_ops osw_sink_run;

/* Where a record was made. */
struct osw_place {
    const char *host, *device; /* "" when nowhere */
};

typedef struct osw_ledger osw_ledger_t;

struct osw_totals {
    uint64_t n_planned;
    uint64_t n_recorded;
    uint64_t n_state[OSW_STATE_COUNT];
    uint64_t n_group[OSW_GROUP_COUNT];
};

/* Plan, ops and sink are borrowed.  NULL without memory. */
osw_ledger_t *osw_ledger_create(const struct osw_plan *plan,
                                const struct osw_sink_ops *ops,
                                void *sink) OSW_MUST_CHECK;
void osw_ledger_destroy(osw_ledger_t *ledger); /* NULL is ignored */

/* Of a run that goes on: the cell has this record in the file already.  It is
 * counted, and not recorded again.
 */
void osw_ledger_restore(osw_ledger_t *ledger, uint64_t cell,
                        enum osw_state state);

/* Record the cells that ended when they were planned, once. */
int osw_ledger_add_skipped(osw_ledger_t *ledger,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Record what a worker found for cell k of a bundle.  Returns 0, or -1 with
 * err set: OSW_INTERNAL when the cell has a record already; the sink's.
 */
int osw_ledger_add(osw_ledger_t *ledger, uint32_t bundle, uint32_t k,
                   const struct osw_record *record, struct osw_place place,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Record cell k of a bundle as one that no worker judged. */
int osw_ledger_add_unjudged(osw_ledger_t *ledger, uint32_t bundle, uint32_t k,
                            enum osw_state state, uint32_t attempt,
                            const char *reason,
                            struct osw_error *err) OSW_MUST_CHECK;

const struct osw_totals *osw_ledger_totals(const osw_ledger_t *ledger);

/* The accounting identity, counted again cell by cell: recorded + open are
 * planned, and every state's total is right.  `n_open`: what the scheduler
 * thinks.  Returns 0, or -1 with err set (OSW_INTERNAL): names the difference.
 */
int osw_ledger_check(const osw_ledger_t *ledger, uint64_t n_open,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_LEDGER_H */
