/* worker/judge/process/breaker.h - implementations that are no longer judged
 * after too many crashes or timeouts
 *
 * After OSW_BREAKER_LIMIT confirmed crashes or timeouts of a file, this worker
 * does not judge its other cells.  Pure, no allocation; when the table is full,
 * further files are always judged.
 */
#ifndef OSW_WORKER_JUDGE_BREAKER_H
#define OSW_WORKER_JUDGE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/record/state.h"

enum { OSW_BREAKER_LIMIT = 3, OSW_BREAKER_FILES = 1024 };

struct osw_breaker {
    struct osw_breaker_file {
        uint64_t key; /* 0: free */
        uint32_t n;   /* strikes */
    } files[OSW_BREAKER_FILES];
};

/* Does a cell that ended so, and its sandbox with it, count? */
bool osw_breaker_counts(enum osw_state state);

/* Count one for the file of that path. */
void osw_breaker_strike(struct osw_breaker *b, const char *path);

bool osw_breaker_is_open(const struct osw_breaker *b, const char *path);

#endif /* OSW_WORKER_JUDGE_BREAKER_H */
