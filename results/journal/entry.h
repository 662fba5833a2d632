/* results/journal/entry.h - what the records of a journal say
 *
 * One struct per type, one function to write and one to read each; the reader
 * trusts nothing.  Numbers and layouts go to disk: a changed layout gets a new
 * OSW_ENTRY_VERSION, a new type a new number.
 *
 * Pure.  Upstream: run.c.  Downstream: replay.c.
 */
#ifndef OSW_RESULTS_ENTRY_H
#define OSW_RESULTS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "ops/record/device_info.h"
#include "ops/record/record.h"
#include "results/journal/dict.h"
#include "results/journal/segment.h"

enum { OSW_ENTRY_VERSION = 1 };

/* clang-format off */
#define OSW_ENTRY_MAP(X)                                                       \
    X( 1, RUN,    run)    /* user, host, command; the campaign's text */      \
    X( 2, PLAN,   plan)   /* how many cells, and their digest */               \
    X( 3, DICT,   dict)   /* a text gets its number, before its first use */   \
    X( 4, DEVICE, device) /* what a rank computes on */                        \
    X( 5, BEGIN,  begin)  /* a cell is about to be dispatched */               \
    X( 6, RESULT, result) /* a cell ended: osw_record_encode() */              \
    X( 7, EVENT,  event)  /* something worth telling happened */               \
    X( 8, END,    end)    /* the run stops, complete or not */                 \
    X( 9, SEAL,   seal)   /* the file was written from what is above */        \
    X(10, RANK,   rank)   /* how a rank spent its time */                      \
    X(11, FACTS,  facts)  /* all about a rank's device, after DEVICE */        \
    X(12, SOURCE, source) /* a file of an op, as it was when the run began */ \
    X(13, SHARD,  shard)  /* which part of a campaign the run is, after PLAN */ \
    X(14, PREDICTION, prediction) /* how long a session should take */
/* clang-format on */

enum osw_entry_type {
#define X(number, NAME, field) OSW_ENTRY_##NAME = number,
    OSW_ENTRY_MAP(X)
#undef X
};

/* Kinds of events.  Numbers go to disk. */
/* clang-format off */
#define OSW_EVENT_MAP(X)                                                       \
    X(0, NOTE,        "note")                                                  \
    X(1, RANK_LOST,   "rank_lost")                                             \
    X(2, DEVICE_LOST, "device_lost")                                           \
    X(3, QUARANTINE,  "quarantine")                                            \
    X(4, RETRY,       "retry")                                                 \
    X(5, STALE,       "stale")       /* a result that came too late */         \
    X(6, SIGNAL,      "signal")                                                \
    X(7, RESUME,      "resume")                                                \
    X(8, DISK_FULL,   "disk_full")                                             \
    X(9, THROTTLE,    "throttle")                                              \
    X(10, SUSPECT,    "suspect")     /* its device failed after cell `value` */ \
    X(11, TWIN,       "twin")        /* a second rank judges a late bundle,    \
                                        whose first cell is `value` */
/* clang-format on */

enum osw_event_kind {
#define X(number, NAME, name) OSW_EVENT_##NAME = number,
    OSW_EVENT_MAP(X)
#undef X
        OSW_EVENT_COUNT,
};

/* "note", ...; "?" for a number that is not in the table. */
const char *osw_event_name(enum osw_event_kind kind);

/* A file that the run's cells are made of, as it is when the run begins. */
struct osw_run_source {
    const char *op;   /* canonical name */
    const char *file; /* in its folder */
    uint8_t sha256[32];
};

/* The part of a campaign that a run is. */
struct osw_run_shard {
    uint32_t index, n;  /* from 1, of n; n 0: the run is the whole campaign */
    uint64_t n_cells;   /* of the whole: cells keep their numbers in it */
    uint8_t sha256[32]; /* the same for all shards of one campaign */
};

/* How long a session should take, when it begins. */
struct osw_run_prediction {
    int64_t wall_ns;    /* by the clock, on so many workers */
    int64_t work_ns;    /* of all workers together */
    uint32_t n_workers; /* 0: nothing was predicted */
    uint64_t n_cells;   /* to be judged */
    uint64_t n_known;   /* of those: their durations were in earlier files */
};

/* A run, as the coordinator knows it before the first cell.  Texts may be NULL
 * for "unknown".
 */
struct osw_run_info {
    const char *uuid;              /* 36 characters; NULL: a random one */
    const char *campaign_path;     /* of the campaign file; "": none */
    const char *campaign_json;     /* its bytes, verbatim */
    const char *campaign_resolved; /* JSON: after defaults and flags */
    const char *command_line;
    const char *hostname; /* of the coordinator */
    const char *tool_version;
    const char *profile;
    uint64_t seed;
    uint64_t n_planned; /* cells; of a shard, its own */
    uint32_t mpi_size;
    int64_t t_start_ns;         /* unix time */
    const uint8_t *plan_sha256; /* [32] digest of the cells; NULL: none */
    const char *const *env; /* "KEY=VALUE" up to a NULL; the allow-list picks */
    const struct osw_run_source *sources; /* [n_sources] NULL after a decode */
    size_t n_sources;
    struct osw_run_shard shard; /* zeros after a decode */
};

/* How a worker spent its time; phases as in ops/record/record.h, nanoseconds.
 */
/* clang-format off */
#define OSW_RANK_MAP(X)                                                        \
    X(wall_ns,      "ns", "from the worker's start to its end")                \
    X(build_ns,     "ns", "compiling and loading")                             \
    X(fill_ns,      "ns", "filling inputs, poisoning outputs")                 \
    X(reference_ns, "ns", "running references")                                \
    X(run_ns,       "ns", "running implementations for the verdict")           \
    X(verify_ns,    "ns", "comparing, checking guards and inputs")             \
    X(time_ns,      "ns", "timing")                                            \
    X(wait_ns,      "ns", "waiting for the node's timing token")               \
    X(idle_ns,      "ns", "waiting for work")                                  \
    X(n_cells,      "1",  "cells that ended on this rank")
/* clang-format on */

struct osw_rank_summary {
    int32_t rank;
    uint32_t host_id, device_id; /* set by run.c */
#define X(field, units, text) int64_t field;
    OSW_RANK_MAP(X)
#undef X
};

/* One record of the journal.  Texts are borrowed and never NULL after a
 * decode.
 */
struct osw_entry {
    enum osw_entry_type type;
    union {
        struct {
            struct osw_run_info info; /* env and plan_sha256 are NULL */
            const char *env;          /* "K=V" strings, each with its NUL */
            size_t env_bytes;
        } run;
        struct {
            uint64_t n_planned;
            uint8_t sha256[32]; /* zeros: none */
        } plan;
        struct {
            uint8_t dict; /* enum osw_dict */
            uint32_t id;
            const char *text;
        } dict;
        struct {
            int32_t rank;
            const char *host;
            const char *device;
        } device;
        struct {
            uint64_t cell;
            int32_t rank;
            uint32_t attempt;
        } begin;
        struct osw_record result;
        struct {
            int64_t t_ns; /* unix time */
            uint8_t kind; /* enum osw_event_kind */
            int32_t rank; /* -1: none */
            int64_t value;
            const char *text;
        } event;
        struct {
            int64_t t_ns; /* unix time */
            uint8_t complete;
        } end;
        struct {
            uint64_t n_results;
            uint8_t complete;
        } seal;
        struct osw_rank_summary rank;
        struct {
            int32_t rank;
            struct osw_device_info info;
        } facts;
        struct osw_run_source source;
        struct osw_run_shard shard;
        struct osw_run_prediction prediction;
    };
};

/* May this environment variable ("KEY=VALUE") be stored?  CUDA_*, NCCL_*,
 * SLURM_*, OMP_* and OPSWEEP_ISOLATION may, unless they sound like secrets, and
 * nothing else.
 */
bool osw_entry_env_allowed(const char *assignment);

/* Append the payload of an entry to `out`, which is emptied first.  Of a run,
 * info.env is filtered and written.  Returns 0, or -1 with err set:
 * OSW_NO_MEMORY.
 */
int osw_entry_encode(const struct osw_entry *entry, struct osw_text *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Read the payload of a frame.  Texts are borrowed from it, the samples of a
 * result copied to samples[OSW_RECORD_MAX_SAMPLES].
 *
 * Returns 0; 1 for a type or version this program does not know, to be passed
 * over; or -1 with err set: OSW_BAD_INPUT.
 */
int osw_entry_decode(const struct osw_frame *frame, struct osw_entry *out,
                     float *samples, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_ENTRY_H */
