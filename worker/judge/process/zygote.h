/* worker/judge/process/zygote.h - a process that imports for Python's sandboxes
 *
 * Importing torch takes a second.  A zygote imports it once, and the sandboxes
 * that it forks have it.  It imports numpy when it starts, and torch when that
 * is first asked for.  What planning imported serves the worker of the same
 * process, if it has one.
 *
 * Upstream: pool.c, worker/expand.c.  Downstream: sandbox.h.
 */
#ifndef OSW_WORKER_JUDGE_ZYGOTE_H
#define OSW_WORKER_JUDGE_ZYGOTE_H

#include "worker/judge/process/sandbox.h"

struct osw_zygote {
    struct osw_sandbox_env env;  /* its own: of Python, with .zygote set */
    struct osw_sandbox *sandbox; /* NULL: none yet, or dead */
    bool torch;                  /* it has imported torch, beside numpy */
};

/* A sandbox of `env` with numpy, and with torch if that is wanted: forked, or,
 * where there is no zygote, one that imports for itself.  Blocks while the
 * zygote imports.  NULL with err set.
 */
struct osw_sandbox *osw_zygote_start(struct osw_zygote *zygote,
                                     const struct osw_sandbox_env *env,
                                     bool torch,
                                     struct osw_error *err) OSW_MUST_CHECK;

/* End it; its sandboxes stay. */
void osw_zygote_end(struct osw_zygote *zygote);

/* In place of that, leave it to the first zygote of this program whose env has
 * the same interpreter and number of threads, and which is asked for torch if
 * this one imported it.  One at most is left: the last one.  Any thread.
 */
void osw_zygote_leave(struct osw_zygote *zygote);

/* End the one that was left, if none took it.  Any thread. */
void osw_zygote_end_left(void);

/* Which of n words stand in a text file: bit k for words[k].  All of them where
 * the file has more lines than are looked at, 65,536; none where it cannot be
 * read.
 */
unsigned osw_zygote_mentions(const char *path, const char *const *words,
                             size_t n);

#endif /* OSW_WORKER_JUDGE_ZYGOTE_H */
