/* worker/expand.h - the expand phase: a generator's cases, run in a sandbox
 *
 * Upstream: planning, wherever it happens.  Downstream:
 * worker/judge/process/sandbox.h.
 */
#ifndef OSW_WORKER_EXPAND_H
#define OSW_WORKER_EXPAND_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"

/* All texts borrowed. */
struct osw_expand_config {
    const char *sandbox_path;
    const char *python; /* interpreter; NULL or "": found */
    uint64_t seed;      /* of the campaign */
    int64_t deadline_ns;
    uint64_t max_rss; /* host memory of one process; 0: from free memory */
};

/* Run the generator `path` with its options `asked`, in a scratch folder that
 * is removed afterwards, and give its lines, *n bytes in the arena.  With
 * n_shares > 0 in so many processes at once, each asked for its share too ("...
 * 2/8", counted from 0); their lines follow each other in that order.  Blocks
 * until all are done, at most twice the deadline for each.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  "gen_input.py: ValueError: ... (gen_input.py:12, in f)"
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_expand_run(const struct osw_expand_config *config, osw_arena_t *arena,
                   const char *path, const char *asked, size_t n_shares,
                   const char **lines, size_t *n,
                   struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_EXPAND_H */
