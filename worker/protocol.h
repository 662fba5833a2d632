/* worker/protocol.h - what judge and sandbox say to each other
 *
 * One SOCK_SEQPACKET message each, one request at a time; data itself lies in
 * memory that both have mapped, and is named by its offset:
 *
 *   the window   of the host.  On a CPU op code works in it; on another device
 *                the sandbox copies it to memory of its own before each call,
 *                and back after it: small cases then need the device once.
 *   the arena    of the device, where it has its own memory: for larger cases.
 *
 * The judge decodes messages that untrusted code may have written: every
 * decoder checks bounds, and offsets against the zone that the case lies in.
 *
 * judge: LOAD, then per case CASE, CALL..., TIME...      sandbox: one reply
 * each
 *
 * Small calls go several at a time, a STEPS for one RESULTS: each has a slice
 * of the window, which the sandbox copies to where it works and back, and what
 * it has to wait for it waits for once.
 */
#ifndef OSW_WORKER_PROTOCOL_H
#define OSW_WORKER_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/wire.h"
#include "ops/inputs/bind.h"
#include "ops/notation/dtype.h"
#include "ops/notation/value.h"
#include "worker/edits.h"
#include "worker/output.h"
#include "worker/protocol_args.h"

enum {
    OSW_PROTOCOL_VERSION = 9,
    OSW_PROTOCOL_MAX_BYTES = 128 * 1024,
    OSW_PROTOCOL_MAX_OUTPUTS = 256,
    OSW_PROTOCOL_MAX_ARGS = 1024, /* values of a case, nested ones included */
    OSW_PROTOCOL_MAX_SAMPLES = 2048, /* of one TIME */
    OSW_PROTOCOL_MAX_STEPS = 96,     /* of one STEPS */
    OSW_PROTOCOL_FD = 3,             /* the sandbox's end of the socket */
};

/* ns: no call takes 11 days. */
#define OSW_PROTOCOL_MAX_SAMPLE 1e15

enum osw_zone { OSW_ZONE_WINDOW, OSW_ZONE_ARENA, OSW_N_ZONES };

/* Memory of a zone in this process. */
struct osw_zone_memory {
    void *base;
    uint64_t bytes;
    uint64_t shift_room; /* a case may be shifted as far without losing bytes */
};

enum {
    OSW_MIRROR_SPILL = 128 << 20, /* for workspace, after a window's copy */
    OSW_MAX_SHIFT = 32 << 20,     /* of a case in its zone */
    OSW_UNFILLED = 0xFF, /* bytes of exact values before they are set */
};

/* Bytes of the guard on either side of a tensor of `bytes`, and after such a
 * workspace: clamp(bytes / 8, 4 KiB, 256 KiB), rounded up to 256.
 */
static inline uint64_t osw_guard_bytes(uint64_t bytes)
{
    uint64_t least = UINT64_C(4) << 10, most = UINT64_C(256) << 10;
    uint64_t n = bytes / 8;

    n = n < least ? least : n > most ? most : n;
    return (n + 255) / 256 * 256;
}

/* Byte that memory from malloc() holds in a call with that pattern.  It cannot
 * be all ones: the next byte is NaN in 16 bits and a huge number in 32 and 64.
 */
static inline unsigned char osw_heap_poison(unsigned char pattern)
{
    return pattern == 0xFF ? 0xFE : pattern;
}

enum osw_talk {
    OSW_TALK_LOAD = 1, /* carries the window's descriptor */
    OSW_TALK_CASE = 2,
    OSW_TALK_CALL = 3,
    OSW_TALK_TIME = 4,
    OSW_TALK_ARENA = 5,  /* another arena; answered by LOADED */
    OSW_TALK_LOOK = 6,   /* outputs as they are now; answered by RESULT */
    OSW_TALK_RELOAD = 7, /* the file again, elsewhere; answered by LOADED */
    OSW_TALK_STEPS = 8, /* calls, each in its slice; answered by RESULTS.  None:
                           is it still there? */
    OSW_TALK_EXPAND = 9, /* run the generator; answered by EXPANDED */
    OSW_TALK_JOIN = 10,  /* a gang; carries its segment; answered by LOADED */
    OSW_TALK_READY = 64, /* standby: started, nothing loaded */
    OSW_TALK_LOADED = 65,
    OSW_TALK_RESULT = 66,
    OSW_TALK_SAMPLES = 67,
    OSW_TALK_RESULTS = 68,
    OSW_TALK_EXPANDED = 69,
    OSW_TALK_PROGRESS = 70, /* no answer yet: something was compiled for it */
};

/* LOAD: become the sandbox of one file. */
struct osw_load {
    uint64_t window_bytes;
    uint32_t n_threads;
    bool reference; /* <symbol>_reference instead of _kernel_impl */
    bool generator; /* it makes cases; the symbol is what is asked of it */
    bool shared;    /* not sent: once loaded, the sandbox may be told to load
                       the same file for another symbol */
    const char *device; /* row of the device table */
    const char *path;   /* shared object */
    const char *symbol; /* folder name: what symbols start with */
};

/* ARENA: use this one from now on. */
struct osw_arena_offer {
    uint64_t bytes;
    unsigned char handle[64]; /* of osw_map */
};

/* JOIN: communicate with the other sandboxes of a gang from now on. */
struct osw_join {
    uint32_t rank, size; /* as in gang.h, and so is one_node */
    bool one_node;
};

/* LOADED */
struct osw_loaded {
    bool ok, has_prepare, has_finish, has_meta, has_work;
    bool own_outputs; /* the code makes outputs itself, they are copied: what
                         lies around them says nothing about it */
    const char *text; /* why not */
};

/* EXPANDED: lines (ops/cases/gen_lines.h) lie at the start of the window. */
struct osw_expanded {
    bool ok;
    uint64_t bytes;
    const char *text; /* why not */
};

/* What must be put back before a call, because the op writes in place. */
struct osw_restore {
    uint64_t to, from, bytes;
};

enum osw_case_mode {
    OSW_MODE_META, /* <op>_meta: only descriptors */
    OSW_MODE_RUN,  /* prepare, then one call */
    OSW_MODE_DRAW, /* a generator's values, into the arguments' tensors */
};

/* CASE: the arguments of all calls until the next CASE, and the first call. */
struct osw_case_request {
    enum osw_case_mode mode;
    enum osw_zone zone;
    uint64_t
        shift;  /* on a device: of all offsets, so that data lie elsewhere */
    bool moved; /* of the host's memory: the zone lies elsewhere than in
                   the case before */
    uint8_t pattern; /* poison of this call's workspace */
    uint64_t seed;
    uint32_t draw; /* DRAW: which case of the generator */
    uint32_t n_args;
    const struct osw_bound_arg *args; /* written by the judge... */
    const uint64_t *offsets;          /* ...with an offset per tensor */
    uint32_t n_expected;
    const struct osw_output *expected; /* empty for a reference */
    uint64_t spill; /* the zone from here on is free for other outputs and
                       workspace */
    uint32_t n_restores;
    const struct osw_restore *restores;
    /* For the reference of a collective op: args and offsets are those of all
     * ranks, one after the other, of which it is `rank`.  world 0: its own.
     */
    uint32_t rank, world;
};

/* One of STEPS, which starts with their number (u32); a CASE follows it unless
 * it is `again`.  RESULTS: the number of results (u32; 0: the device failed in
 * one of the calls), the hash of each (u64), then each as in RESULT, its hash
 * there unset.
 */
struct osw_step {
    uint64_t at, bytes; /* of the slice, in the window */
    bool again;         /* the case of the step before, on what is in the slice
                           now */
    uint8_t pattern;    /* poison of its workspace */
};

/* RESULT of CASE and CALL. */
struct osw_result {
    int32_t code;        /* what the op returned; 0: it ran */
    int32_t device_code; /* error of the device after it; 0: none */
    bool lost;           /* the device is of no use to this process any more */
    bool no_memory;      /* it asked for more than the zone has */
    bool late;           /* in prepare, not in the call */
    bool has_state;      /* prepare left one */
    bool beside;         /* exact values may be another function's: what the
                            reference wrote counts, or they do */
    const char *text;    /* its message, or why an output was refused */
    int64_t call_ns;     /* claim: duration of the call */
    uint64_t hash;       /* of its outputs, right after the op */
    double bytes, flops; /* by <op>_work; NaN: none */
    uint64_t guard;      /* after its workspace: poison [guard_bytes], or
                            OSW_NO_OFFSET */
    uint64_t guard_bytes;
    uint64_t high_water; /* of the zone: bytes from here on were not used */
    uint32_t n_outputs;
    struct osw_output outputs[OSW_PROTOCOL_MAX_OUTPUTS];
};

/* TIME */
struct osw_time_request {
    uint32_t n_samples; /* <= OSW_PROTOCOL_MAX_SAMPLES */
    uint32_t n_inner;   /* calls per sample; 0: only what comes beside them */
    bool cold;          /* clear caches before each sample */
    bool stamped;       /* on a processor: the judge's clock stands around each
                           sample, see stamps.h */
    bool wall;          /* by the host's clock, until all is done */
    bool refresh;       /* what the window holds is new: bring it in */
    bool live;          /* no graph of the calls is replayed */
    const struct osw_edits *edits; /* before each call; NULL: none.  On a device
                                      with its own memory, before each sample */
};

/* SAMPLES: ns per call, a claim; 0 to OSW_PROTOCOL_MAX_SAMPLE. */
struct osw_time_reply {
    int32_t code;
    uint8_t timer; /* enum osw_timer: how they were taken */
    bool lost;
    const char *text;
    uint32_t n;
    float samples[OSW_PROTOCOL_MAX_SAMPLES];
};

/* Writers: check w->overrun afterwards. */
void osw_protocol_put_expanded(struct osw_writer *w,
                               const struct osw_expanded *m);
void osw_protocol_put_load(struct osw_writer *w, const struct osw_load *m);
void osw_protocol_put_loaded(struct osw_writer *w, const struct osw_loaded *m);
void osw_protocol_put_arena(struct osw_writer *w,
                            const struct osw_arena_offer *m);
void osw_protocol_put_join(struct osw_writer *w, const struct osw_join *m);
void osw_protocol_put_case(struct osw_writer *w,
                           const struct osw_case_request *m);
void osw_protocol_put_result(struct osw_writer *w, const struct osw_result *m);
void osw_protocol_put_step(struct osw_writer *w, const struct osw_step *m);
void osw_protocol_put_time(struct osw_writer *w,
                           const struct osw_time_request *m);
void osw_protocol_put_samples(struct osw_writer *w,
                              const struct osw_time_reply *m);

/* Kind of a message, read first; 0 when empty. */
uint8_t osw_protocol_kind(struct osw_reader *r);

/* Readers, after the kind.  Texts borrow from the message.  0, or -1 with err
 * OSW_PROTOCOL and *m untouched or partly written.
 */
int osw_protocol_get_load(struct osw_reader *r, struct osw_load *m,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_protocol_get_loaded(struct osw_reader *r, struct osw_loaded *m,
                            struct osw_error *err) OSW_MUST_CHECK;
int osw_protocol_get_expanded(struct osw_reader *r, uint64_t window_bytes,
                              struct osw_expanded *m,
                              struct osw_error *err) OSW_MUST_CHECK;
int osw_protocol_get_arena(struct osw_reader *r, struct osw_arena_offer *m,
                           struct osw_error *err) OSW_MUST_CHECK;
int osw_protocol_get_join(struct osw_reader *r, struct osw_join *m,
                          struct osw_error *err) OSW_MUST_CHECK;
/* Spans are checked to lie within [0, zone_bytes); m->edits is `edits`, or
 * NULL.
 */
int osw_protocol_get_time(struct osw_reader *r, uint64_t zone_bytes,
                          struct osw_edits *edits, struct osw_time_request *m,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_protocol_get_samples(struct osw_reader *r, struct osw_time_reply *m,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Outputs are checked to lie within [0, zone_bytes), arguments that they name
 * to be among the n_args of the case.  _part: others follow, and its kind comes
 * first.
 */
int osw_protocol_get_result(struct osw_reader *r, uint64_t zone_bytes,
                            uint32_t n_args, struct osw_result *m,
                            struct osw_error *err) OSW_MUST_CHECK;
int osw_protocol_get_result_part(struct osw_reader *r, uint64_t zone_bytes,
                                 uint32_t n_args, struct osw_result *m,
                                 struct osw_error *err) OSW_MUST_CHECK;

/* The slice is checked to lie within [0, window_bytes). */
int osw_protocol_get_step(struct osw_reader *r, uint64_t window_bytes,
                          struct osw_step *m,
                          struct osw_error *err) OSW_MUST_CHECK;

/* The sandbox's side of CASE: arguments as an op sees them, tensors placed in
 * their zone's memory (without data for a META).  Everything else lives in the
 * memory of the arena allocator.
 */
struct osw_case_received {
    enum osw_case_mode mode;
    enum osw_zone zone;
    uint64_t shift;
    bool moved;
    uint8_t pattern;
    uint64_t seed;
    uint32_t draw;
    uint32_t n_args;
    osw_arg *args;
    uint8_t *given; /* [n_args] enum osw_given */
    uint32_t n_expected;
    struct osw_output *expected;
    uint64_t spill;
    uint32_t n_restores;
    struct osw_restore *restores;
    uint32_t rank, world; /* world divides n_args; 0: not of all ranks */
};
int osw_protocol_get_case(struct osw_reader *r, osw_arena_t *arena,
                          const struct osw_zone_memory zones[OSW_N_ZONES],
                          osw_device device, struct osw_case_received *m,
                          struct osw_error *err) OSW_MUST_CHECK;

/* The zone that the case after the kind moves, or -1: none.  Reads ahead. */
int osw_protocol_moved_zone(struct osw_reader r);

/* As get_case, kind first, in front of others. */
int osw_protocol_get_case_part(struct osw_reader *r, osw_arena_t *arena,
                               const struct osw_zone_memory zones[OSW_N_ZONES],
                               osw_device device, struct osw_case_received *m,
                               struct osw_error *err) OSW_MUST_CHECK;

int64_t osw_output_numel(const struct osw_output *o);

/* Doubles of its exact values: two of a complex element. */
int64_t osw_output_n_exact(const struct osw_output *o);

#endif /* OSW_WORKER_PROTOCOL_H */
