/* results/journal/replay_rows.h - which results of a journal count
 *
 * Upstream: replay.c.
 */
#ifndef OSW_RESULTS_REPLAY_ROWS_H
#define OSW_RESULTS_REPLAY_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Where the result of a cell is. */
struct osw_replay_row { /* 24 bytes: a campaign may have 10^8 of them */
    uint64_t cell;
    uint32_t segment;    /* where its record is */
    uint32_t payload_at; /* offset there: segments are below 4 GiB */
    uint32_t payload_bytes;
    uint16_t sample_n;
    uint8_t status; /* enum osw_state */
};

/* Sort rows by cell, in place, and leave one of each: the first in the journal,
 * except that one in group infra yields to a later one.  Returns how many are
 * left.
 */
size_t osw_replay_rows_settle(struct osw_replay_row *rows, size_t n);

#endif /* OSW_RESULTS_REPLAY_ROWS_H */
