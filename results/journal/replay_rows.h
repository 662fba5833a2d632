/* results/journal/replay_rows.h - which results of a journal count
 *
 * Upstream: replay.c.
 */
#ifndef OSW_RESULTS_REPLAY_ROWS_H
#define OSW_RESULTS_REPLAY_ROWS_H

#include "results/journal/replay.h"

/* Sort rows by cell, and leave one of each: see osw_replay_load().  Sets
 * n_rows, n_superseded and n_samples.
 */
void osw_replay_settle_rows(struct osw_replay *replay);

#endif /* OSW_RESULTS_REPLAY_ROWS_H */
