/* worker/judge/process/pool.h - the sandboxes of one worker
 *
 * One per file, kept while they may be needed again (least recently used go
 * first), and standbys that are started ahead of need.
 */
#ifndef OSW_WORKER_JUDGE_POOL_H
#define OSW_WORKER_JUDGE_POOL_H

#include "worker/judge/process/zygote.h"

enum { OSW_POOL_SANDBOXES = 64, OSW_POOL_STANDBYS = 16 };

struct osw_pool {
    struct osw_sandbox_env env;
    struct osw_sandbox_env
        host; /* of files that run on the host beside a device */
    struct osw_sandbox_env python; /* of Python files; .python NULL: none */
    struct osw_sandbox_env python_host; /* the same beside a device */
    struct osw_zygote zygote;           /* that makes them */
    struct osw_sandbox *python_standby; /* of a device; NULL: none */
    struct osw_error python_missing;    /* then: why */
    struct osw_sandbox *sandboxes[OSW_POOL_SANDBOXES]; /* NULL: free */
    uint32_t generations[OSW_POOL_SANDBOXES];          /* of ids, so far */
    struct osw_sandbox *standbys[OSW_POOL_STANDBYS];   /* oldest first */
    uint32_t n_sandboxes; /* of these places may be used; at least 8 */
    uint32_t n_standby;   /* wanted when nothing is known, or one died */
    uint32_t n_ahead;     /* wanted at most, for files that are known to come */
    uint32_t n_files;     /* of all files that will be loaded, about */
    uint32_t n_loaded;    /* so far */
    bool has_died;        /* a sandbox, by itself */
    uint64_t uses;        /* a clock for last_used */
    int64_t ended_ns;     /* when one was ended that was not dead; 0: never */
    int64_t killed_ns; /* when SIGKILL was found to have ended one; 0: never */
    bool none_starts[2][2]; /* [python][of the device] */
    uint64_t keep_bytes;    /* of arenas, all together; more is given back */
};

void osw_pool_close(struct osw_pool *pool);

/* Start the first sandbox of a device for Python, and what imports torch for
 * all.
 */
void osw_pool_prepare_python(struct osw_pool *pool);

/* Start standbys, as many as are missing. */
void osw_pool_prepare(struct osw_pool *pool);

/* The first standby, up if any is, a few later ones in its place; borrowed
 * until another one is asked for.  NULL: none can be started.
 */
struct osw_sandbox *osw_pool_first(struct osw_pool *pool);

/* Wait until standbys are up: before a device is timed, since nothing may
 * start beside that.
 */
void osw_pool_settle(struct osw_pool *pool);

/* The sandbox of the file `source`, built as `load` says and loaded if need be:
 * two files have two sandboxes, even when they compile to the same object.
 * NULL: it could not be loaded; *end says how the sandbox died, or, when its
 * state is OSW_STATE_NONE, err says why the file cannot be used; end->early:
 * there was no sandbox to load it.  Borrowed.
 */
struct osw_sandbox *osw_pool_get(struct osw_pool *pool,
                                 const struct osw_load *load,
                                 const char *source, int64_t deadline_ns,
                                 struct osw_sandbox_end *end,
                                 struct osw_error *err) OSW_MUST_CHECK;

/* Did sandboxes for such a file fail to start?  Set by the caller that stopped
 * trying; false again once one starts.
 */
bool *osw_pool_none_starts(struct osw_pool *pool, const struct osw_load *load);

/* Begin to load it, if there is a sandbox to spare: osw_pool_get will wait for
 * it.
 */
void osw_pool_ask(struct osw_pool *pool, const struct osw_load *load,
                  const char *source, int64_t deadline_ns);

/* End the least recently used sandbox that is not pinned and not `spared`.
 * False: there is none.
 */
bool osw_pool_shrink(struct osw_pool *pool, const struct osw_sandbox *spared);

/* Is it a file that a python loads? */
bool osw_pool_is_python(const char *path);

/* The sandbox of that name, alive; NULL: it died or gave way.  Borrowed until
 * another one is asked for.
 */
struct osw_sandbox *osw_pool_find(const struct osw_pool *pool,
                                  struct osw_sandbox_id id);

/* End one sandbox of the pool, if it is still there. */
void osw_pool_drop(struct osw_pool *pool, struct osw_sandbox_id id);

/* Forget sandboxes that died. */
void osw_pool_sweep(struct osw_pool *pool);

/* Stop the processes of all sandboxes but these n, and those that are at a
 * request, with all their threads; osw_pool_go_on() lets all go on.
 */
void osw_pool_still(const struct osw_pool *pool,
                    const struct osw_sandbox_id *but, size_t n);
void osw_pool_go_on(const struct osw_pool *pool);

/* The op is done with: sandboxes end, but those of shared files. */
void osw_pool_turn(struct osw_pool *pool);

/* End all sandboxes. */
void osw_pool_clear(struct osw_pool *pool);

/* Kill all sandboxes without waiting: this process is about to end.  They stay
 * in the pool.
 */
void osw_pool_kill(const struct osw_pool *pool);

/* Give back arena memory until what is left fits keep_bytes. */
void osw_pool_trim(struct osw_pool *pool);

#endif /* OSW_WORKER_JUDGE_POOL_H */
