/* worker/judge/process/sandbox.h - the life of one sandbox, as its judge sees
 * it
 *
 * Start, load, ask, and kill_and_reap.  Whatever the code in the sandbox does,
 * a call here returns within its deadline and says how the sandbox ended.
 *
 * Downstream: worker/protocol.h.  Never includes worker/sandbox.
 */
#ifndef OSW_WORKER_JUDGE_SANDBOX_H
#define OSW_WORKER_JUDGE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/deadline.h"
#include "common/error.h"
#include "ops/record/state.h"
#include "worker/device/device.h"
#include "worker/judge/process/watch.h"
#include "worker/protocol.h"

enum {
    OSW_SANDBOX_OUTPUT_BYTES = 4096
}; /* of stdout and stderr that are kept */

/* What all sandboxes of a worker have in common.  Borrowed. */
struct osw_sandbox_env {
    struct osw_device *device;
    const char *sandbox_path;
    const char *python; /* that a sandbox becomes; NULL: it stays itself */
    bool zygote; /* with what takes long imported, for osw_sandbox_fork */
    const char *work_dir; /* sandboxes have their scratch folders in it */
    uint64_t window_bytes;
    uint64_t max_rss; /* bytes of its processes' own memory; 0: no ceiling */
    uint32_t n_threads;
    void (*tick)(void *arg); /* at least every 100 ms while waiting; or NULL */
    void *tick_arg;
};

/* How a sandbox ended: CRASH, EXITED, TIMEOUT, OOM, CUDA or ASYNC. */
struct osw_sandbox_end {
    enum osw_state state;
    bool early;     /* it was not ready, or given no file: no file's fault */
    int signal;     /* 0: none */
    int exit_code;  /* 0 too when there was none */
    char text[256]; /* of an early end with the last line that it printed */
};

/* When its processes were looked at, while an answer was waited for. */
struct osw_sandbox_pulse {
    int64_t last_ns, group_ns;
    int64_t waited_ns;              /* for a core, so far: see watch.h */
    struct osw_watch_waits threads; /* since the first tick; n 0: unknown */
    int64_t disk_ns;  /* and for a disk, since the deadline was moved last */
    uint16_t n_tasks; /* of the node, then */
};

/* When an answer is due.  Waits for a core or a disk extend it: a sandbox is
 * not late because other processes used its cores.
 */
struct osw_sandbox_deadline {
    struct osw_deadline at;
    int64_t given_ns;    /* without such waits */
    int64_t patience_ns; /* by which waits may still extend it */
    int64_t starved_ns;  /* and then, while it has had less than half of
                            given_ns on a core since the first look */
    int64_t cpu_ns;      /* its processor time at that look */
    bool has_accounts;   /* of waits: since the first look */
};

/* Which sandbox of a pool: its place, and how often the place was used before.
 * The id of a sandbox that has ended finds none, even if a new sandbox has the
 * same place or address.
 */
struct osw_sandbox_id {
    uint32_t place;
    uint32_t generation; /* 0: no sandbox */
};

#define OSW_NO_SANDBOX ((struct osw_sandbox_id){0, 0})

static inline bool osw_sandbox_same(struct osw_sandbox_id a,
                                    struct osw_sandbox_id b)
{
    return a.generation != 0 && a.place == b.place &&
           a.generation == b.generation;
}

/* The meeting by which sandboxes of a gang communicate: drawn at random, the
 * same in all members.
 */
struct osw_meeting_id {
    uint64_t token[2];
};

struct osw_sandbox {
    const struct osw_sandbox_env *env;
    struct osw_sandbox_id id; /* set by its pool */
    char scratch[96]; /* its current directory, all that op code may write;
                         goes with it */
    pid_t pid;        /* of the process, and of its group; 0: gone */
    int socket;       /* -1: none */
    int output_fd;    /* reading end of its stdout and stderr; -1: none */
    struct osw_map window, arena;  /* see protocol.h; the arena comes late */
    int segment_fd;                /* of the gang that it joined; -1: none */
    struct osw_meeting_id meeting; /* by which it did, */
    uint32_t member;               /* as this rank, */
    bool in_step; /* and the gang's last cell in it was right in all members:
                     they may go on with the next one */
    const uint64_t *n_carried; /* messages that env->tick carries while it is
                                  waited for; NULL: none (worker/gang.h) */
    enum osw_zone zone;        /* that the current case lies in */
    uint64_t case_id;          /* which case that is: for the judge */
    bool reshaped;             /* its outputs had other shapes there than
                                  for the case's own inputs */
    uint32_t n_args;           /* of that case: no answer may name more */
    uint32_t n_asked;          /* requests that are not answered yet */
    uint64_t shift;            /* of the next case in its zone */
    bool ready;                /* READY was seen */
    bool given;                /* it was told to load a file */
    bool pinned;               /* others go first when memory is short */
    bool loaded;
    bool shared;       /* it is loaded again for the next op */
    uint32_t n_before; /* files or symbols that it served before this one */
    struct osw_loaded traits;
    char file[64];   /* key of what is loaded: see pool.h */
    uint64_t symbol; /* a hash of it */
    uint64_t last_used;
    uint64_t first_case; /* as case_id, of the first one; 0: none yet */
    bool mixed;          /* it was given others too */
    struct osw_sandbox_pulse pulse;
    uint64_t high_water; /* bytes of the window that could be given back */
    struct osw_sandbox_end end;            /* once pid is 0 */
    char output[OSW_SANDBOX_OUTPUT_BYTES]; /* since it was last taken */
    uint32_t output_used;
    uint64_t output_dropped;
    struct osw_result result; /* of the last call */
    unsigned char message[OSW_PROTOCOL_MAX_BYTES];
};

/* Start a sandbox with nothing loaded: a standby.  Does not wait for it. */
struct osw_sandbox *osw_sandbox_start(const struct osw_sandbox_env *env,
                                      struct osw_error *err) OSW_MUST_CHECK;

/* Have a zygote, started with env->zygote and ready, fork a sandbox that is as
 * if osw_sandbox_start had made it, with the package `import` ("": none), which
 * the zygote imports first, once.  This process must be a subreaper.  NULL: it
 * cannot, or not within that time; the zygote may be dead then.
 */
struct osw_sandbox *osw_sandbox_fork(struct osw_sandbox *zygote,
                                     const struct osw_sandbox_env *env,
                                     const char *import,
                                     int64_t within_ns) OSW_MUST_CHECK;

/* Kill its process group, reap it, free everything.  NULL is ignored. */
void osw_sandbox_destroy(struct osw_sandbox *sandbox);

static inline bool osw_sandbox_alive(const struct osw_sandbox *sandbox)
{
    return sandbox && sandbox->pid != 0;
}

/* Has its process ended, while nothing was asked of it? */
bool osw_sandbox_has_ended(const struct osw_sandbox *sandbox);

/* Its waits for a core so far and those of this thread, for which one that
 * prints much waits.  The kernel counts a wait when it is over, so none is
 * missing as long as the sandbox runs.
 */
int64_t osw_sandbox_waited_ns(const struct osw_sandbox *sandbox);

/* For a sandbox to start, in ns: a GPU's driver takes seconds, and longer
 * beside others or under a sanitizer.
 */
#define OSW_SANDBOX_START_NS INT64_C(60000000000)

/* Wait until it has started.  0, or -1: it is dead. */
int osw_sandbox_await(struct osw_sandbox *sandbox, int64_t deadline_ns);

/* Make it the sandbox of one file; creates its window.  Returns 0 when it is
 * loaded, else -1: sandbox->end says how it died, or, when it lives, err
 * (OSW_BAD_INPUT) says why the file cannot be used; another status is ours.
 */
int osw_sandbox_load(struct osw_sandbox *sandbox, const struct osw_load *load,
                     int64_t deadline_ns, struct osw_error *err) OSW_MUST_CHECK;

/* Of a sandbox that is loaded: have it load the same file for another symbol.
 * As osw_sandbox_load.
 */
int osw_sandbox_load_again(struct osw_sandbox *sandbox,
                           const struct osw_load *load, int64_t deadline_ns,
                           struct osw_error *err) OSW_MUST_CHECK;

/* The two halves of it: between them the sandbox loads, and nothing else may be
 * asked of it.  The first one waits for nothing, not for READY either.
 */
int osw_sandbox_begin_load(struct osw_sandbox *sandbox,
                           const struct osw_load *load,
                           struct osw_error *err) OSW_MUST_CHECK;
int osw_sandbox_end_load(struct osw_sandbox *sandbox, int64_t deadline_ns,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Have the next case lie elsewhere in a device's zones.  In the host's memory
 * nothing changes: there the sandbox moves a zone that the case says is moved.
 */
void osw_sandbox_shift(struct osw_sandbox *sandbox);

/* Have it load its file once more: code lies elsewhere then.  0, or -1: it is
 * dead, or could not.
 */
int osw_sandbox_reload(struct osw_sandbox *sandbox, int64_t deadline_ns);

/* Have it join a gang, which communicates by the segment `fd`: the sandbox owns
 * the descriptor from now on, in any case.  0; -1 with it dead, or alive and
 * err saying why.
 */
int osw_sandbox_adopt_segment(struct osw_sandbox *sandbox,
                              const struct osw_join *join, int fd,
                              int64_t deadline_ns,
                              struct osw_error *err) OSW_MUST_CHECK;

/* Have at least `bytes` in a zone; what was in an arena that is too small is
 * gone.  0; -1 with the sandbox alive and err: OSW_NO_MEMORY (a window is as
 * large as it is), OSW_DEVICE; -1 with it dead: sandbox->end says how.
 */
int osw_sandbox_ensure_bytes(struct osw_sandbox *sandbox, enum osw_zone zone,
                             uint64_t bytes, int64_t deadline_ns,
                             struct osw_error *err) OSW_MUST_CHECK;

/* A zone as this process sees it, shifted as its next case will be. */
struct osw_zone_memory osw_sandbox_zone(const struct osw_sandbox *sandbox,
                                        enum osw_zone zone);

/* Bytes of the current zone were used.  Of a window that a device has pinned
 * nothing may be given back: the device would use pages that no process sees.
 */
void osw_sandbox_used(struct osw_sandbox *sandbox, uint64_t bytes);

/* A request is written where the answer will be read from. */
static inline struct osw_writer osw_sandbox_writer(struct osw_sandbox *sandbox)
{
    return osw_writer(sandbox->message, sizeof(sandbox->message));
}

/* Send a request; the sandbox has 10 s to read it.  -1: it is dead, and
 * sandbox->end says how.  An answer that is there before the request ends it.
 */
int osw_sandbox_send(struct osw_sandbox *sandbox, const struct osw_writer *w);

/* Call it at least every 100 ms while waiting for an answer: reads its output,
 * ticks, and ends the sandbox if it holds too much.
 */
void osw_sandbox_look_after(struct osw_sandbox *sandbox);

/* A deadline `ns` from now for the next answer of a sandbox. */
struct osw_sandbox_deadline osw_sandbox_deadline_in(int64_t ns);

/* Nanoseconds until then, extended by waits since the last call; negative: it
 * has passed.  Calls must be at most 200 ms apart.
 */
int64_t osw_sandbox_time_left(struct osw_sandbox *sandbox,
                              struct osw_sandbox_deadline *deadline);

/* Wait for a reply of that kind until `deadline_ns` from now.  Returns 0 with
 * *r after the kind, borrowed until the next call; -1: the sandbox is dead
 * (killed here if need be) and sandbox->end says how.
 */
int osw_sandbox_receive(struct osw_sandbox *sandbox, uint8_t kind,
                        int64_t deadline_ns, struct osw_reader *r);

/* The same, until a deadline that began earlier. */
int osw_sandbox_receive_by(struct osw_sandbox *sandbox, uint8_t kind,
                           struct osw_sandbox_deadline *deadline,
                           struct osw_reader *r);

/* Ask for nothing, and wait up to 1 s for the answer.  Leaves sandbox->message
 * as it is, so that texts of an earlier answer stay.  False: the sandbox is not
 * to be asked again; it did not answer so, or it is dead.
 */
bool osw_sandbox_ping(struct osw_sandbox *sandbox);

/* Wait for a RESULT of the case in sandbox->zone and read it into
 * sandbox->result; texts are borrowed until the next receive.  As
 * osw_sandbox_receive.
 */
int osw_sandbox_result(struct osw_sandbox *sandbox, int64_t deadline_ns);

/* Ask for the last call's outputs as they are now.  As osw_sandbox_result. */
int osw_sandbox_look(struct osw_sandbox *sandbox, int64_t deadline_ns);

/* Processor time that it has used so far, all its threads, in ns, and how many
 * threads can run at a time (1 when unknown): by the kernel's account, which
 * code inside cannot change.  Threads beyond the number of cores of our slot do
 * not count.
 */
int64_t osw_sandbox_cpu_ns(const struct osw_sandbox *sandbox);
int osw_sandbox_threads(const struct osw_sandbox *sandbox);

/* Stop all processes of its group, and let them go on: so threads and daemons
 * of op code take no time from other work.  NULL and a dead one are ignored.
 */
void osw_sandbox_stop(const struct osw_sandbox *sandbox);
void osw_sandbox_continue(const struct osw_sandbox *sandbox);

/* End it for breaking the protocol. */
void osw_sandbox_fail_protocol(struct osw_sandbox *sandbox, const char *why);
/* End it because it can no longer be used, with that state. */
void osw_sandbox_end_as(struct osw_sandbox *sandbox, enum osw_state state,
                        const char *why);

/* Call it after an answer.  Does a process that op code forked go on, with the
 * memory of its outputs?  It gets half a second to end.  True: the sandbox is
 * dead, and sandbox->end says so.
 */
bool osw_sandbox_end_if_copied(struct osw_sandbox *sandbox);

/* Read its output, without waiting: a process that writes into a full pipe
 * would wait.
 */
void osw_sandbox_drain(struct osw_sandbox *sandbox);

/* Its output since the last take, with a note on dropped bytes.  Borrowed until
 * the next receive.
 */
const char *osw_sandbox_take_output(struct osw_sandbox *sandbox);

#endif /* OSW_WORKER_JUDGE_SANDBOX_H */
