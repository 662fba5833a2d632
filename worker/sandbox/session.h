/* worker/sandbox/session.h - what a sandbox holds between two messages
 *
 * Upstream: loop.c drives it.  Downstream: hosts run op code over it.
 */
#ifndef OSW_WORKER_SANDBOX_SESSION_H
#define OSW_WORKER_SANDBOX_SESSION_H

#include <opsweep/op.h>

#include "common/arena.h"
#include "worker/device/device.h"
#include "worker/protocol.h"
#include "worker/sandbox/communicator.h"
#include "worker/sandbox/zone_move.h"

struct osw_host_ops;

/* An output as op code sees it.  Code may write into shape and strides: they
 * are copies, so that the result still says what was asked for.
 */
struct osw_handed_out {
    osw_tensor tensor;
    int64_t shape[OSW_MAX_NDIM], strides[OSW_MAX_NDIM];
};

/* The beginning of a call's workspace, and what offsets of that call's case
 * count from; at NULL: none.
 */
struct osw_piece {
    unsigned char *at;
    uint64_t bytes;
    const unsigned char *base;
};

struct osw_session {
    struct osw_device *device;
    struct osw_map window;     /* shared with the judge */
    struct osw_stamps *stamps; /* after the window */
    struct osw_map mirror;     /* the device's copy of it, where it has its own
                                  memory, followed by room for workspace */
    struct osw_map arena;      /* shared with the judge, memory of the device */
    struct osw_zone_move moves[OSW_N_ZONES]; /* of the window and the arena */
    osw_arena_t *memory;                     /* of the current case */
    unsigned char *base;  /* what offsets of the current case count from */
    unsigned char *shown; /* where the judge gets to see them: base, or a part
                             of the window that is copied; NULL: the arena */
    uint64_t limit;       /* of outputs */

    const struct osw_host_ops *host;
    void *host_state;
    bool reference;
    uint32_t n_threads;

    struct osw_communicator_state gang; /* that it joined, if any */
    struct osw_map token;               /* the gang's, on the device */
    bool has_messages;      /* the last call sent or received some */
    osw_communicator peers; /* for a reference: all ranks' inputs */
    struct osw_case_received job;
    osw_call call; /* what op code sees; call.runner is this session */
    struct osw_handed_out *handed_out; /* [OSW_PROTOCOL_MAX_OUTPUTS] */
    uint64_t cursor;                   /* next free byte of the spill */
    struct osw_map scratch; /* workspace comes from here: part of a zone */
    uint64_t scratch_used;
    bool has_workspace;            /* this call took its piece */
    const unsigned char *guard_at; /* after workspace; NULL: none */
    uint64_t guard_bytes;
    struct osw_piece piece, earlier; /* that this call took, and one before */
    bool watches;                    /* what lies in the earlier one */
    uint64_t n_cases; /* so far: names what was captured of one */
    bool meta;        /* inside <op>_meta: outputs have no data */
    bool poison_scratch;
    bool unhashed;   /* the last calls were timed, result.hash is older */
    int64_t late_ns; /* of this thread: what the last call left to be done when
                        its result was looked at; set by the host's collect */
    struct osw_result result; /* outputs as they were asked for */
    char text[2048];
};

/* Communicate by the segment of that descriptor, which is closed. */
int osw_session_join(struct osw_session *s, const struct osw_join *join, int fd,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Of a gang: begin a sample when all members do, if calls have messages or NCCL
 * is used; others may be captured, and meet in their kernels.
 */
void osw_session_meet_gang(struct osw_session *s);

/* After the work of a call is done: it failed if communication in it did. */
void osw_session_end_gang_call(struct osw_session *s);

/* Before a result is told: code that asked for what does not reach the gang's
 * other nodes, and failed, does not support such a gang.
 */
void osw_session_excuse(struct osw_session *s);

/* What op code did wrong: only the first words of a call count. */
__attribute__((format(printf, 2, 3))) void
osw_session_say(struct osw_session *s, const char *format, ...);

/* `bytes` after *used, aligned, with a gap before them; OSW_NO_OFFSET: full. */
uint64_t osw_session_take(struct osw_session *s, uint64_t *used, uint64_t limit,
                          uint64_t bytes);

/* Output i is that tensor of the arguments; NULL: there is none. */
osw_tensor *osw_session_alias(struct osw_session *s, int i, int32_t alias);

/* Fill session->call for the current job; outputs start anew. */
void osw_session_begin_call(struct osw_session *s);

/* How op code is run: a row per kind of file. */
struct osw_host_ops {
    const char *suffix; /* of the file: ".so" */
    /* Load the file; on failure -1 with err, worded for the op's author. */
    int (*load)(const struct osw_load *load, struct osw_loaded *out,
                void **state, struct osw_error *err);
    /* The same file once more, from a copy, so that it lies elsewhere; what was
     * loaded before stays.  0, or -1 with *state as it was.
     */
    int (*reload)(void **state, struct osw_error *err);
    /* (optional) Forget what was loaded: another load took its place. */
    void (*unload)(void *state);
    int (*meta)(void *state, const osw_call *call);
    int (*prepare)(void *state, const osw_call *call, void **op_state);
    void (*finish)(void *state, void *op_state);
    int (*run)(void *state, const osw_call *call);
    /* (optional) Declare and copy what the last run returned, after the clock
     * stopped.
     */
    int (*collect)(void *state, const osw_call *call);
    int (*work)(void *state, const osw_call *call, osw_work *work);
    /* (optional) Of a generator: the lines of all cases into `out`, *used of
     * `size` bytes; and the values of case `draw` of the job into the tensors
     * of the call, with their digest.  expand: 0, or -1 with err; draw: as run.
     */
    int (*expand)(void *state, uint64_t seed, char *out, uint64_t size,
                  uint64_t *used, struct osw_error *err);
    int (*draw)(void *state, const osw_call *call, uint64_t *digest);
    /* (optional) Around waiting for the judge. */
    void (*rest)(void *state, bool rest);
};

const struct osw_host_ops *osw_host_find(const char *path);
extern const struct osw_host_ops osw_host_native;
extern const struct osw_host_ops osw_host_python;

/* Place the current job in its zone's memory. */
void osw_session_enter_zone(struct osw_session *s);

/* Work for a slice of the window instead of its beginning. */
void osw_session_enter_slice(struct osw_session *s,
                             const struct osw_step *step);

/* Around a call: bring the window's contents to the device, and what op code
 * made of them back; nothing to do where op code works in it.
 */
void osw_session_copy_in(struct osw_session *s);
void osw_session_copy_out(struct osw_session *s);
/* The same with a hash of all outputs, and not in that order. */
void osw_session_hash_out(struct osw_session *s, uint32_t slot);

/* Workspace of a call (session_workspace.c), as osw_call.workspace.  After it
 * lies a guard, which the judge checks.  On a device the piece of an earlier
 * call stays where the next one lies elsewhere, and code that kept a pointer to
 * it would be right: so what lies there is poison during a call, and the judge
 * gets to see it beside the guard.  In the host's memory nothing lies there any
 * more (zone_move.h).
 */
void *osw_session_give_workspace(const osw_call *call, size_t bytes);

/* Before a call that the judge verifies. */
void osw_session_watch_workspace(struct osw_session *s);

/* After it: set where the judge sees what must hold the poison of the call, in
 * s->result.
 */
void osw_session_show_workspace(struct osw_session *s);

/* Opens the first device of a kind, as osw_device_open(). */
typedef int (*osw_session_open_f)(const struct osw_device_ops *ops,
                                  struct osw_device **out,
                                  struct osw_error *err);

/* The sandbox's life: serve requests on `fd` until it closes, for the device
 * of that kind, which `open` opens.  Returns an exit status.  Also the entry
 * point for a host that embeds the loop.
 */
int osw_sandbox_loop(int fd, const char *device, osw_session_open_f open);

#endif /* OSW_WORKER_SANDBOX_SESSION_H */
