/* results/seal_rows.h - the columns of /results and /samples, block by block */
#ifndef OSW_RESULTS_SEAL_ROWS_H
#define OSW_RESULTS_SEAL_ROWS_H

#include "common/error.h"
#include "results/replay.h"
#include "results/store.h"

/* Read the results of the replay in the order of its rows and write them.
 * Memory is bounded by a block, not by the number of rows.  Returns 0, or -1
 * with err set; failures of the store show at osw_store_finish().
 */
int osw_seal_rows(const struct osw_replay *replay, osw_store_t *store,
                  struct osw_error *err) OSW_MUST_CHECK;

/* How a column of the file holds numbers of that type. */
enum osw_store_type osw_seal_store_type(enum osw_column_type type);

#endif /* OSW_RESULTS_SEAL_ROWS_H */
