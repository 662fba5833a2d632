/* worker/judge/process/breaker.h - implementations that cost too much to go on
 * with
 *
 * After OSW_BREAKER_LIMIT confirmed crashes or timeouts a file's other cells
 * are not judged by this worker.  Pure, no allocation; what does not fit the
 * table is judged on.
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
