/* results/file/seal_rows.h - the columns of /results and /samples, block by
 * block */
#ifndef OSW_RESULTS_SEAL_ROWS_H
#define OSW_RESULTS_SEAL_ROWS_H

#include "common/error.h"
#include "results/file/store.h"
#include "results/journal/replay.h"

/* Where records come from that are in no journal. */
struct osw_seal_source {
    void *arg;
    /* The record of replay->rows[i] into *out, its samples into
     * samples[OSW_RECORD_MAX_SAMPLES]; called for each i in order.  Returns 0,
     * or -1 with err set.
     */
    int (*read)(void *arg, size_t i, float *samples, struct osw_record *out,
                struct osw_error *err);
    const uint32_t *runs; /* [n_rows] index in /runs, for a column "run" */
    void (*put_tables)(void *arg, osw_store_t *store); /* /runs, and others */
};

/* Read the results of the replay in the order of its rows, from its journal or
 * from `source` unless that is NULL, and write them.  Memory is bounded by a
 * block, not by the number of rows.  Returns 0, or -1 with err set; failures
 * of the store show at osw_store_finish().
 */
int osw_seal_rows(const struct osw_replay *replay,
                  const struct osw_seal_source *source, osw_store_t *store,
                  struct osw_error *err) OSW_MUST_CHECK;

/* How a column of the file holds numbers of that type. */
enum osw_store_type osw_seal_store_type(enum osw_column_type type);

#endif /* OSW_RESULTS_SEAL_ROWS_H */
