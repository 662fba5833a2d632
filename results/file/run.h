/* results/file/run.h - the results of one run: what the coordinator calls
 *
 * Everything goes to the journal FILE.journal/ first; osw_run_seal() makes FILE
 * of it.  What was committed survives kill -9; what was not is dispatched
 * again when the run is resumed.
 *
 *     run = osw_run_create("run.h5", &info, force, &err);
 *     osw_run_device(run, "node1", &device_info, 1, &err);
 *     osw_run_begin(run, cell, rank, attempt, &err);
 *     osw_run_result(run, &record, &names, &err);
 *     if (osw_run_commit_due(run, osw_clock_ns()))
 *         osw_run_commit(run, &err);      then acknowledge
 *     osw_run_seal(run, true, &err);
 *     osw_run_close(run);
 *
 * Coordinator only; blocks for file I/O.  A function that fails has recorded
 * nothing, and may be called again.
 */
#ifndef OSW_RESULTS_RUN_H
#define OSW_RESULTS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/journal/entry.h"

/* The texts of a cell, which become *_id columns. */
struct osw_cell_names {
    const char *op;        /* canonical name */
    const char *impl;      /* "" when the op has none */
    const char *case_text; /* case notation */
    const char *dtype;     /* of the first tensor */
    const char *fill;      /* of all tensors */
    const char *host;      /* "" when it was not run */
    const char *device;
};

typedef struct osw_run osw_run_t;

/* Start the run whose result will be the file `path`: make its journal and
 * record what is run.  With `force` an existing file and journal are removed,
 * the journal of a living process excepted.
 *
 * Returns a run that the caller owns, or NULL with err set and nothing
 * changed: OSW_BAD_INPUT (it exists, or the place cannot be written),
 * OSW_SYSTEM, OSW_NO_MEMORY.
 */
osw_run_t *osw_run_create(const char *path, const struct osw_run_info *info,
                          bool force, struct osw_error *err) OSW_MUST_CHECK;

/* Go on with the run whose journal stands beside `path`: take its lock, drop a
 * torn tail, and say by an event that it was resumed, with the command line and
 * the number of ranks in `info` (NULL: no event, nothing is resumed).
 * expected_seq: its last record as the caller has read it; 0: any.
 *
 * Blocks for the patience of results/journal/lock.h when another host holds the
 * lock. Returns a run that the caller owns, or NULL with err set: OSW_BAD_INPUT
 * (no journal, damaged, in use), OSW_SYSTEM, OSW_NO_MEMORY.
 */
osw_run_t *osw_run_open(const char *path, uint64_t expected_seq,
                        const struct osw_run_info *info,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Commit without fdatasync: safe against kill -9, not against power loss. */
void osw_run_set_relaxed(osw_run_t *run, bool relaxed);

/* Release everything.  What was not committed is dropped; the journal stays
 * unless the seal removed it.
 */
void osw_run_close(osw_run_t *run); /* NULL is ignored */

/* 36 characters and NUL; the same for all of the run's files. */
const char *osw_run_uuid(const osw_run_t *run);

/* The journal's directory. */
const char *osw_run_journal(const osw_run_t *run);

/* What the worker `rank` computes on: once per rank. */
int osw_run_device(osw_run_t *run, const char *host,
                   const struct osw_device_info *device, int32_t rank,
                   struct osw_error *err) OSW_MUST_CHECK;

/* What is known about it by now, in place of what osw_run_device was given. */
int osw_run_device_again(osw_run_t *run, const struct osw_device_info *device,
                         int32_t rank, struct osw_error *err) OSW_MUST_CHECK;

/* How long the session should take; before its first cell. */
int osw_run_predict(osw_run_t *run, const struct osw_run_prediction *prediction,
                    struct osw_error *err) OSW_MUST_CHECK;

/* A cell is about to be dispatched. */
int osw_run_begin(osw_run_t *run, uint64_t cell, int32_t rank, uint32_t attempt,
                  struct osw_error *err) OSW_MUST_CHECK;

/* A cell ended.  The record's *_id of the names, reason, output, reference and
 * baseline are set here; everything else is kept as given.
 */
int osw_run_result(osw_run_t *run, const struct osw_record *record,
                   const struct osw_cell_names *names,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Something worth telling happened now; rank -1: to no rank. */
int osw_run_event(osw_run_t *run, enum osw_event_kind kind, int32_t rank,
                  int64_t value, const char *text,
                  struct osw_error *err) OSW_MUST_CHECK;

/* How a worker spent its time.  host_id and device_id are set here, from the
 * rank's device.
 */
int osw_run_rank(osw_run_t *run, const struct osw_rank_summary *summary,
                 struct osw_error *err) OSW_MUST_CHECK;

/* Is a commit due at now_ns of osw_clock_ns()?  See results/journal/journal.h.
 */
bool osw_run_commit_due(const osw_run_t *run, int64_t now_ns);

/* Make everything recorded durable.  Only then acknowledge it.  After a
 * failure (full disk) nothing is lost, and a later call tries again.
 */
int osw_run_commit(osw_run_t *run, struct osw_error *err) OSW_MUST_CHECK;

/* Hand everything recorded to the kernel: what was begun is known, whatever
 * ends this process.  It is not durable, and not to be acknowledged.
 */
int osw_run_push(osw_run_t *run, struct osw_error *err) OSW_MUST_CHECK;

/* Results recorded so far, all and of one group of states. */
uint64_t osw_run_n_results(const osw_run_t *run);
uint64_t osw_run_n_in_group(const osw_run_t *run, enum osw_state_group group);

/* Nothing was judged: remove the journal instead of sealing it.  Returns 0, or
 * -1 with err set (OSW_SYSTEM).
 */
int osw_run_discard(osw_run_t *run, struct osw_error *err) OSW_MUST_CHECK;

/* Show other hosts that the journal of that osw_run_t has a living writer: for
 * a thread beside one that seals.
 */
void osw_run_show_alive(void *run);

/* Commit, write FILE, and remove the journal if the run is complete; it stays
 * when the run is not, or when cells ended in group infra, so that the run
 * can be resumed.
 *
 * Returns 0, or -1 with err set: OSW_INCOMPLETE when `complete` is claimed but
 * cells are missing (FILE is written, as incomplete, and the journal kept),
 * else FILE is not written and the journal holds everything.
 */
int osw_run_seal(osw_run_t *run, bool complete,
                 struct osw_error *err) OSW_MUST_CHECK;

/* The same for a run that did not come to its end: nothing is claimed. */
int osw_run_recover(osw_run_t *run, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_RUN_H */
