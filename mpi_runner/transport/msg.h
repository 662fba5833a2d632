/* mpi_runner/transport/msg.h - what coordinator and workers say to each other
 *
 * A message is a row: number, name, direction, fields.  Its struct, encoding,
 * decoding and what an error says come from the row.  To add a message, write
 * its fields here and one line in OSW_MSG_MAP, with a new number.
 *
 * In order of a campaign's life:
 *
 *     worker            coordinator
 *     hello             campaign
 *     ready, or leave   bundle, bundle, ...  (to a worker that is ready)
 *     result..., done   ack                  (the results are on disk)
 *                       stop
 *     summary           end, or the next campaign of a series
 *
 * Heartbeats go both ways while there is nothing else to say.  When a worker
 * runs out of work, others are told `recall`, and answer `given` for each
 * bundle.  A worker that needs compiled code says `want`; `object` carries code
 * both ways, in chunks (object.h).
 *
 * Workers that judge a bundle together, a gang, exchange bytes: each says
 * `part` with its own, and when all have, each is told `parts`.  A worker that
 * cannot go on says `broken`, and so are the others told.  What their sandboxes
 * send to each other between nodes goes from worker to worker: `flow`.
 */
#ifndef OSW_MPI_RUNNER_MSG_H
#define OSW_MPI_RUNNER_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/wire.h"
#include "mpi_runner/transport/frame.h"
#include "ops/record/device_info.h"
#include "ops/record/record.h"
#include "worker/gang.h"

enum {
    OSW_MSG_VERSION = 10,          /* of what the messages mean */
    OSW_MSG_MAX_CELLS = 512,       /* of one bundle */
    OSW_MSG_DIGITS = 64,           /* of an object's id, and of a SHA-256 */
    OSW_MSG_MAX_CHUNK = 3800,      /* with the message's fields in one frame */
    OSW_MSG_MAX_OBJECT = 32 << 20, /* bytes */
};

/* What an `object` message says. */
enum osw_object_kind {
    OSW_OBJECT_NONE = 0, /* there is none to be had: every rank for itself */
    OSW_OBJECT_MAKE = 1, /* the receiver makes it, and sends it */
    OSW_OBJECT_CODE = 2,
    OSW_OBJECT_REFUSAL = 3, /* a compiler's output */
};

/* The ranks that may receive it. */
enum {
    OSW_MSG_TO_WORKER = 1,
    OSW_MSG_TO_COORDINATOR = 2,
    OSW_MSG_BOTH = 3,
};

/* Numbers go over the wire: never reused. */
/* clang-format off */
#define OSW_MSG_MAP(X)                                                         \
    X( 1, HELLO,    hello,    TO_COORDINATOR)                                  \
    X( 2, CAMPAIGN, campaign, TO_WORKER)                                       \
    X( 3, READY,    ready,    TO_COORDINATOR)                                  \
    X( 4, LEAVE,    leave,    TO_COORDINATOR)                                  \
    X( 5, BUNDLE,   bundle,   TO_WORKER)                                       \
    X( 6, RESULT,   result,   TO_COORDINATOR)                                  \
    X( 7, DONE,     done,     TO_COORDINATOR)                                  \
    X( 8, ACK,      ack,      TO_WORKER)                                       \
    X( 9, HEARTBEAT,     heartbeat,     BOTH)                                            \
    X(10, LOG,      log,      TO_COORDINATOR)                                  \
    X(11, STOP,     stop,     TO_WORKER)                                       \
    X(12, SUMMARY,  summary,  TO_COORDINATOR)                                  \
    X(13, END,      end,      TO_WORKER)                                       \
    X(14, RECALL,   recall,   TO_WORKER)                                       \
    X(15, GIVEN,    given,    TO_COORDINATOR)                                  \
    X(16, PROVED,   proved,   TO_COORDINATOR)                                  \
    X(17, WANT,     want,     TO_COORDINATOR)                                  \
    X(18, OBJECT,   object,   BOTH)                                            \
    X(19, PART,     part,     TO_COORDINATOR)                                  \
    X(20, PARTS,    parts,    TO_WORKER)                                       \
    X(21, BROKEN,   broken,   BOTH)                                            \
    X(22, FLOW,     flow,     TO_WORKER)

/* X(message, wire type, C type, field) */
#define OSW_MSG_HELLO_MAP(X, m)                                                \
    X(m, u32, uint32_t,     version)     /* OSW_MSG_VERSION */                 \
    X(m, u64, uint64_t,     pid)                                               \
    X(m, i32, int32_t,      local_index) /* among the workers of its node */   \
    X(m, i32, int32_t,      n_local)     /* workers of its node */             \
    X(m, str, const char *, host)                                              \
    X(m, u64, uint64_t,     born)        /* of pid: see neighbour.h, as */      \
    X(m, u64, uint64_t,     pid_space)   /* the next one */

/* struct osw_worker_config, as far as it is the same for all workers. */
#define OSW_MSG_CAMPAIGN_MAP(X, m)                                             \
    X(m, str, const char *, device)                                            \
    X(m, str, const char *, profile)                                           \
    X(m, u32, uint32_t,     n_threads)                                         \
    X(m, u64, uint64_t,     seed)                                              \
    X(m, u64, uint64_t,     max_bytes)                                         \
    X(m, i64, int64_t,      deadline_ns)                                       \
    X(m, u8,  uint8_t,      cold)                                              \
    X(m, u8,  uint8_t,      signed_zero)                                       \
    X(m, u8,  uint8_t,      share_gpus)                                        \
    X(m, u8,  uint8_t,      keep_going)                                        \
    X(m, u64, uint64_t,     max_rss)                                           \
    X(m, u32, uint32_t,     n_files)                                           \
    X(m, str, const char *, cache_dir)   /* "": none given, as the next three */ \
    X(m, str, const char *, include_dir)                                       \
    X(m, str, const char *, sandbox_path)                                      \
    X(m, str, const char *, python)                                            \
    X(m, u8,  uint8_t,      op_db)                                             \
    X(m, i64, int64_t,      heartbeat_ns)     /* say something this often */        \
    X(m, i64, int64_t,      silence_ns)  /* after so much a worker is lost */  \
    X(m, i64, int64_t,      prove_ns)    /* try the device this often; 0: never */ \
    X(m, str, const char *, host)        /* of the coordinator; pid, born too */ \
    X(m, u64, uint64_t,     pid)                                               \
    X(m, u64, uint64_t,     born)                                              \
    X(m, str, const char *, journal)     /* "": none, or not yet */            \
    X(m, u32, uint32_t,     session)     /* of the journal, from 0 */          \
    X(m, u8,  uint8_t,      series)      /* another may follow: keep the judge */

/* Then: the device, which says why where it is not fit. */
#define OSW_MSG_READY_MAP(X, m)                                                \
    X(m, u8,  uint8_t,      fit)         /* 0: it will judge nothing */

#define OSW_MSG_LEAVE_MAP(X, m)                                                \
    X(m, str, const char *, reason)                                            \
    X(m, u8,  uint8_t,      unsound)     /* its device; results since it was   \
                                            proved may be wrong */

/* The device of this worker is sound: what it said so far may be believed. */
#define OSW_MSG_PROVED_MAP(X, m)                                               \
    X(m, i64, int64_t,      took_ns)

/* A bundle or what is left of it: cell k[i] of the bundle is implementation
 * impls[i].  Then: u16 n, n times (u32 k, u64 key, str impl); size times (u32
 * rank, u32 leader).
 */
#define OSW_MSG_BUNDLE_MAP(X, m)                                               \
    X(m, u32, uint32_t,     bundle)      /* index in the plan */               \
    X(m, u32, uint32_t,     attempt)                                           \
    X(m, u64, uint64_t,     first_cell)                                        \
    X(m, str, const char *, op_dir)                                            \
    X(m, str, const char *, case_text)                                         \
    X(m, str, const char *, fill)                                              \
    X(m, str, const char *, warm_up)     /* a case text; "": none */           \
    X(m, str, const char *, warm_up_fill)                                      \
    X(m, str, const char *, baselines)                                         \
    X(m, u8,  uint8_t,      check)       /* enum osw_check */                  \
    X(m, u8,  uint8_t,      time)                                              \
    X(m, f64, double,       flops)                                             \
    X(m, f64, double,       bytes)                                             \
    X(m, i64, int64_t,      cost_ns)                                           \
    X(m, i64, int64_t,      call_ns)     /* of one call of one implementation */ \
    X(m, u64, uint64_t,     digest)                                            \
    X(m, u64, uint64_t,     gang)        /* struct osw_gang; size 0: none */   \
    X(m, u32, uint32_t,     rank)                                              \
    X(m, u32, uint32_t,     size)                                              \
    X(m, u8,  uint8_t,      failed)      /* a worker was lost at it */

/* Then: the record. */
#define OSW_MSG_RESULT_MAP(X, m)                                               \
    X(m, u32, uint32_t,     bundle)                                            \
    X(m, u32, uint32_t,     k)           /* cell of the bundle */

#define OSW_MSG_DONE_MAP(X, m)                                                 \
    X(m, u32, uint32_t,     bundle)                                            \
    X(m, u32, uint32_t,     attempt)                                           \
    X(m, i64, int64_t,      wall_ns)

#define OSW_MSG_ACK_MAP(X, m)                                                  \
    X(m, u64, uint64_t,     n_results)   /* of this worker, on disk so far */

#define OSW_MSG_HEARTBEAT_MAP(X, m)                                                 \
    X(m, u32, uint32_t,     n_waiting)   /* bundles not begun */

#define OSW_MSG_LOG_MAP(X, m)                                                  \
    X(m, str, const char *, text)        /* one line */

#define OSW_MSG_STOP_MAP(X, m)                                                 \
    X(m, u8,  uint8_t,      now)         /* drop what was not begun */

/* Nanoseconds by phase are summed over the records. */
#define OSW_MSG_SUMMARY_MAP(X, m)                                              \
    X(m, u64, uint64_t,     n_bundles)                                         \
    X(m, u64, uint64_t,     n_results)                                         \
    X(m, u64, uint64_t,     n_acked)                                           \
    X(m, i64, int64_t,      wall_ns)                                           \
    X(m, i64, int64_t,      start_ns)    /* until ready */                     \
    X(m, i64, int64_t,      build_ns)                                          \
    X(m, i64, int64_t,      fill_ns)                                           \
    X(m, i64, int64_t,      reference_ns)                                      \
    X(m, i64, int64_t,      run_ns)                                            \
    X(m, i64, int64_t,      verify_ns)                                         \
    X(m, i64, int64_t,      time_ns)                                           \
    X(m, i64, int64_t,      wait_ns)                                           \
    X(m, i64, int64_t,      judge_ns)    /* inside bundles, phases included */ \
    X(m, i64, int64_t,      idle_ns)     /* nothing to do */

#define OSW_MSG_END_MAP(X, m)                                                  \
    X(m, u8,  uint8_t,      lost)        /* some rank was: do not finalize MPI */ \
    X(m, u8,  uint8_t,      unrecorded)  /* the journal cannot say how it ended */

#define OSW_MSG_RECALL_MAP(X, m)                                               \
    X(m, u32, uint32_t,     n)           /* give back so many, the last ones */

/* A bundle that was not begun. */
#define OSW_MSG_GIVEN_MAP(X, m)                                                \
    X(m, u32, uint32_t,     bundle)      /* UINT32_MAX: none */                \
    X(m, u32, uint32_t,     attempt)                                           \
    X(m, u32, uint32_t,     n_left)      /* that follow */

#define OSW_MSG_WANT_MAP(X, m)                                                 \
    X(m, str, const char *, id)          /* OSW_MSG_DIGITS, as the next ones */

/* Then: u16 n, n bytes; n >= 1 of code and refusals, else 0. */
#define OSW_MSG_OBJECT_MAP(X, m)                                               \
    X(m, str, const char *, id)                                                \
    X(m, u8,  uint8_t,      kind)        /* enum osw_object_kind */            \
    X(m, u32, uint32_t,     size)        /* of the whole */                    \
    X(m, u32, uint32_t,     offset)      /* of these bytes */                  \
    X(m, str, const char *, sha256)      /* of the whole; "" where n is 0 */

/* Then: u16 n, n bytes: of this member, or of all by rank. */
#define OSW_MSG_PART_MAP(X, m)                                                 \
    X(m, u64, uint64_t,     gang)                                              \
    X(m, u32, uint32_t,     exchange)    /* of this gang, from 1 */
#define OSW_MSG_PARTS_MAP(X, m)        OSW_MSG_PART_MAP(X, m)

#define OSW_MSG_BROKEN_MAP(X, m)                                               \
    X(m, u64, uint64_t,     gang)                                              \
    X(m, str, const char *, reason)

/* Of the two rings between the sender's rank and the receiver's: see relay.h.
 * Then: u16 n, n bytes of the one to the receiver.
 */
#define OSW_MSG_FLOW_MAP(X, m)                                                 \
    X(m, u64, uint64_t,     gang)                                              \
    X(m, u32, uint32_t,     cell)        /* of this gang, from 0 */            \
    X(m, u32, uint32_t,     ended)       /* as in struct osw_segment_head */   \
    X(m, u64, uint64_t,     read)        /* bytes of the other one */
/* clang-format on */

enum osw_msg_type {
#define X(number, NAME, name, to) OSW_MSG_##NAME = number,
    OSW_MSG_MAP(X)
#undef X
};

#define X(m, wire, type, field) type field;
struct osw_msg_hello {
    OSW_MSG_HELLO_MAP(X, hello)
};
struct osw_msg_campaign {
    OSW_MSG_CAMPAIGN_MAP(X, campaign)
};
struct osw_msg_ready {
    OSW_MSG_READY_MAP(X, ready)
    struct osw_device_info device;
};
struct osw_msg_leave {
    OSW_MSG_LEAVE_MAP(X, leave)
};
/* A member of a gang. */
struct osw_msg_member {
    uint32_t rank;   /* of the job */
    uint32_t leader; /* the first member of the same node */
};
struct osw_msg_bundle {
    OSW_MSG_BUNDLE_MAP(X, bundle)
    uint32_t n; /* >= 1 */
    const uint32_t *k;
    const uint64_t *keys;
    const char *const *impls;
    const struct osw_msg_member *members; /* [size] */
};
struct osw_msg_result {
    OSW_MSG_RESULT_MAP(X, result)
    struct osw_record record;
};
struct osw_msg_done {
    OSW_MSG_DONE_MAP(X, done)
};
struct osw_msg_ack {
    OSW_MSG_ACK_MAP(X, ack)
};
struct osw_msg_heartbeat {
    OSW_MSG_HEARTBEAT_MAP(X, heartbeat)
};
struct osw_msg_log {
    OSW_MSG_LOG_MAP(X, log)
};
struct osw_msg_stop {
    OSW_MSG_STOP_MAP(X, stop)
};
struct osw_msg_summary {
    OSW_MSG_SUMMARY_MAP(X, summary)
};
struct osw_msg_end {
    OSW_MSG_END_MAP(X, end)
};
struct osw_msg_recall {
    OSW_MSG_RECALL_MAP(X, recall)
};
struct osw_msg_proved {
    OSW_MSG_PROVED_MAP(X, proved)
};
struct osw_msg_given {
    OSW_MSG_GIVEN_MAP(X, given)
};
struct osw_msg_want {
    OSW_MSG_WANT_MAP(X, want)
};
struct osw_msg_object {
    OSW_MSG_OBJECT_MAP(X, object)
    uint32_t n;
    const void *bytes; /* [n]; decoded: borrowed from the message */
};
struct osw_msg_part {
    OSW_MSG_PART_MAP(X, part)
    uint32_t n;        /* at most OSW_GANG_MAX_EXCHANGE */
    const void *bytes; /* [n]; decoded: borrowed from the message */
};
struct osw_msg_parts {
    OSW_MSG_PARTS_MAP(X, parts)
    uint32_t n; /* at most OSW_GANG_MAX times that */
    const void *bytes;
};
struct osw_msg_broken {
    OSW_MSG_BROKEN_MAP(X, broken)
};
struct osw_msg_flow {
    OSW_MSG_FLOW_MAP(X, flow)
    uint32_t n;        /* at most OSW_MSG_MAX_CHUNK */
    const void *bytes; /* [n]; decoded: borrowed from the message */
};
#undef X

struct osw_msg {
    enum osw_msg_type type;
    union {
#define X(number, NAME, name, to) struct osw_msg_##name name;
        OSW_MSG_MAP(X)
#undef X
    } u;
};

/* Where a decoded message keeps its lists; one per receiver is enough. */
struct osw_msg_space {
    uint32_t k[OSW_MSG_MAX_CELLS];
    uint64_t keys[OSW_MSG_MAX_CELLS];
    const char *impls[OSW_MSG_MAX_CELLS];
    struct osw_msg_member members[OSW_GANG_MAX];
    float samples[OSW_RECORD_MAX_SAMPLES];
};

/* Queue a message for a peer.  Returns 0, or -1 with err set and nothing
 * queued: OSW_BAD_INPUT names the field that is too long, OSW_NO_MEMORY.
 */
int osw_msg_post(struct osw_outbox *out, const struct osw_msg *msg,
                 struct osw_error *err) OSW_MUST_CHECK;

/* Read an untrusted payload, as the receiver `to` (TO_WORKER or
 * TO_COORDINATOR).  Texts are borrowed from data, lists live in space.
 * Returns 0, or -1 with err set (OSW_PROTOCOL) and *msg untouched; the text
 * names message and field.
 */
int osw_msg_decode(int to, uint8_t type, const void *data, size_t n,
                   struct osw_msg_space *space, struct osw_msg *msg,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Are all members of its gang on one node?  True of a bundle without a gang. */
bool osw_msg_on_one_node(const struct osw_msg_bundle *b);

/* "bundle"; "?" for a number that is none. */
const char *osw_msg_name(int type);

#endif /* OSW_MPI_RUNNER_MSG_H */
