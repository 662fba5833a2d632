/* results/journal/replay_rows.h - which results of a journal count
 *
 * Upstream: replay.c.
 */
#ifndef OSW_RESULTS_REPLAY_ROWS_H
#define OSW_RESULTS_REPLAY_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Where the result of a cell is: 16 bytes, as a campaign may have 10^8 of them.
 * What does not fit is refused before.
 */
struct osw_replay_row {
    uint32_t cell;
    uint32_t payload_at;   /* offset of its record in the segment */
    uint32_t segment : 20; /* that holds the record */
    uint32_t sample_n : 12;
    uint32_t payload_bytes : 24; /* of the record */
    uint32_t status : 8;         /* enum osw_state */
};

enum {
    OSW_REPLAY_MAX_SEGMENT = (1 << 20) - 1,
    OSW_REPLAY_MAX_SAMPLES = (1 << 12) - 1,
    OSW_REPLAY_MAX_PAYLOAD = (1 << 24) - 1,
};
#define OSW_REPLAY_MAX_CELL UINT32_MAX

/* Sort rows by cell, in place, and leave one of each: the first in the journal,
 * except that one in group infra yields to a later one.  Returns how many are
 * left.
 */
size_t osw_replay_rows_settle(struct osw_replay_row *rows, size_t n);

#endif /* OSW_RESULTS_REPLAY_ROWS_H */
