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

/* All texts borrowed, until it is closed. */
struct osw_expand_config {
    const char *sandbox_path;
    const char *python; /* interpreter; NULL or "": found */
    uint64_t seed;      /* of the campaign */
    int64_t deadline_ns;
    uint64_t max_rss;   /* host memory of one process; 0: from free memory */
    uint32_t n_threads; /* that workers of this process have; 0: all cores */
};

typedef struct osw_expander osw_expander_t;

/* What runs generators: a scratch folder for them, and processes that import
 * for all of them, the first time that a generator needs it.  NULL with err
 * set.
 */
osw_expander_t *osw_expander_open(const struct osw_expand_config *config,
                                  struct osw_error *err) OSW_MUST_CHECK;

/* End its processes and remove its folder; what imported for it is left to a
 * worker of this process, see osw_zygote_leave().  NULL is ignored.
 */
void osw_expander_close(osw_expander_t *expander);

/* End what a closed one left, if no worker took it. */
void osw_expander_end_left(void);

/* Run the generator `path` with its options `asked`, and give its lines, *n
 * bytes in the arena.  With n_shares > 0 in so many processes at once, each
 * asked for its share too ("... 2/8", counted from 0); their lines follow each
 * other in that order.  Blocks until all are done, at most twice the deadline
 * for each.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  "gen_input.py: ValueError: ... (gen_input.py:12, in f)"
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_expander_run(osw_expander_t *expander, osw_arena_t *arena,
                     const char *path, const char *asked, size_t n_shares,
                     const char **lines, size_t *n,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_EXPAND_H */
