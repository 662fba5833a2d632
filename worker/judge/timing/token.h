/* worker/judge/timing/token.h - which worker may time on this node's cores now
 *
 * Workers of a node share memory bandwidth and caches: while one of them
 * times, no other does.  Other workers do not wait for a worker that died or is
 * stopped.  Op code cannot block them either: it can read the file but not
 * write it. Workers that share /dev/shm but not their process numbers (some
 * containers) do not wait for each other.
 */
#ifndef OSW_WORKER_JUDGE_TOKEN_H
#define OSW_WORKER_JUDGE_TOKEN_H

#include <stdint.h>

#include "common/error.h"

/* Open this node's token; a descriptor to pass below, or -1. */
int osw_token_open(struct osw_error *err) OSW_MUST_CHECK;
void osw_token_close(int fd); /* -1 is ignored */

/* Wait for it, calling tick (may be NULL) meanwhile; give it back.  Returns
 * the nanoseconds waited.
 */
int64_t osw_token_take(int fd, void (*tick)(void *arg), void *arg);
void osw_token_give(int fd);

#endif /* OSW_WORKER_JUDGE_TOKEN_H */
