/* worker/device/device.h - what judge and sandbox need from hardware
 *
 * One row per kind of device.  device_cpu.c runs everywhere; a plugin brings
 * others (CUDA), so that nothing else links against them.
 *
 * Memory that a judge shares with one sandbox is a map: the judge creates it,
 * the sandbox opens it from what travels in a message (a descriptor on CPU, an
 * IPC handle on a GPU).  No map is seen by two sandboxes.
 */
#ifndef OSW_WORKER_DEVICE_DEVICE_H
#define OSW_WORKER_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opsweep/op.h>

#include "common/error.h"
#include "ops/record/record.h"

enum { OSW_HASH_SLOTS = 96 };

struct osw_device_ops;

/* Base of every device.  A backend embeds it first and adds its own state. */
struct osw_device {
    const struct osw_device_ops *ops;
    int index; /* ordinal among visible devices of this kind, from 0 */
    char name[128];
    char uuid[48];    /* "" when it has none */
    char target[16];  /* what compilers call it: "sm_90a"; "" on CPU */
    char visible[80]; /* "NAME=VALUE" for the environment of its sandboxes, so
                         that they see this device and no other; "" on CPU */
    uint64_t memory_bytes; /* of its own memory; 0: the host's */
    uint64_t cache_bytes;  /* of its memory, what caches may hold as cold calls
                              begin and end: the last level; 0: unknown */
    uint32_t n_cores;      /* or multiprocessors; 0: unknown */
    int32_t compute_mode;  /* of a GPU, as the driver numbers them; 0: any
                              number of processes may use it */
    double max_clock_mhz, max_memory_clock_mhz; /* 0: unknown */
    char runtime[16];     /* version of the toolkit it is used by, "12.8" */
    char capability[16];  /* what its code may use, "9.0"; both "" on CPU */
    double peak_bytes;    /* per second, of its memory: clock by width; 0:
                             unknown */
    double peak_flops[3]; /* per second: see enum osw_arithmetic; 0: unknown */
};

/* Arithmetic units, for the least time that operations can take. */
enum osw_arithmetic {
    OSW_ARITHMETIC_F64,
    OSW_ARITHMETIC_F32,
    OSW_ARITHMETIC_F16, /* matrix units, 16-bit inputs */
};

struct osw_map {
    void *base; /* in this process; NULL: not mapped */
    uint64_t bytes;
    int fd;       /* to send along; -1: none */
    bool foreign; /* opened here, created by another process */
    unsigned char handle[64];
};

struct osw_edits;  /* worker/edits.h */
struct osw_stamps; /* worker/stamps.h */

/* Of one launch, at most: see osw_timing. */
enum { OSW_TIMING_GRAPH_SAMPLES = 8 };

/* Of a device with memory of its own, a sandbox asks for whole launches of
 * samples: so as many calls are made by a graph as one by one, and in all
 * members of a gang.
 */
static inline uint32_t osw_timing_whole(uint32_t n)
{
    const uint32_t launch = OSW_TIMING_GRAPH_SAMPLES;

    return n <= launch ? n : (n + launch - 1) / launch * launch;
}

/* What is asked of osw_device_ops.time. */
struct osw_timing {
    uint32_t n_samples;
    uint32_t n_inner; /* calls per sample; 0: none */
    bool cold;        /* clear caches before each sample */
    bool wall;        /* by the host's clock, until all work is done */
    bool live;        /* every call is made, none is replayed from a capture */
    bool waits;   /* calls may wait for what they enqueued: the device is not
                   held until all are */
    uint64_t key; /* calls of one key do the same: what was captured for
                     them may be used again */
    const struct osw_edits *edits; /* NULL: none; before each call, or with own
                                      memory before each sample; all are undone
                                      after the last */
    unsigned char *base;           /* of the zone that is edited */
    struct osw_stamps *stamps;     /* around each sample; NULL: none.  With own
                                      memory they are ignored */
    void (*before)(void *arg);     /* enqueues what is not timed */
    int (*call)(void *arg);        /* enqueues the op; 0, or it failed */
    int (*after)(void *arg);       /* NULL, or what the last call's results need
                                      before its edits are undone: 0, or -1 */
    void *arg;
};

struct osw_device_ops {
    const char *kind;   /* "cpu", "cuda": as written in a campaign */
    int32_t dl_type;    /* OSW_CPU, OSW_CUDA */
    bool own_memory;    /* sandboxes share memory of the device with the judge,
                           beside a window of the host's; a map costs its size */
    bool fresh_rounds;  /* processes differ for life: time in fresh ones */
    uint32_t n_standby; /* sandboxes to keep ready */
    uint32_t n_ahead;   /* the same while files are known that will need them */

    /* Devices visible to this process; 0 when there are none. */
    int (*count)(size_t *n, struct osw_error *err);

    /* Describe device `index`, without using it: cheap, and done also where
     * others keep it for themselves.  The caller owns *out and must close() it.
     */
    int (*open)(int index, struct osw_device **out, struct osw_error *err);
    /* Make it ready for what is below, which may take a while: once, after
     * open.
     */
    int (*wake)(struct osw_device *dev, struct osw_error *err);
    void (*close)(struct osw_device *dev); /* NULL is ignored */

    /* Bytes that maps could still take. */
    uint64_t (*available)(struct osw_device *dev);
    /* Judge: memory of `bytes` to share with one sandbox, which can neither
     * grow nor shrink it.  Err OSW_NO_MEMORY: the device has not so much.
     */
    int (*map_create)(struct osw_device *dev, uint64_t bytes,
                      struct osw_map *out, struct osw_error *err);
    /* Memory of this process alone. */
    int (*map_private)(struct osw_device *dev, uint64_t bytes,
                       struct osw_map *out, struct osw_error *err);
    /* Sandbox: map what the judge created; map->fd, handle, bytes are given.
     * Closes map->fd.
     */
    int (*map_open)(struct osw_device *dev, struct osw_map *map,
                    struct osw_error *err);
    /* Give back the memory of [from, bytes); the map stays usable. */
    void (*map_release)(struct osw_device *dev, struct osw_map *map,
                        uint64_t from);
    void (*map_destroy)(struct osw_device *dev, struct osw_map *map);
    /* Sandbox: make copies from and to the host's memory quick. */
    int (*pin)(struct osw_device *dev, void *base, uint64_t bytes,
               struct osw_error *err);

    /* Enqueue a copy, in any direction, and a fill with one byte. */
    void (*copy)(struct osw_device *dev, void *to, const void *from,
                 uint64_t bytes);
    void (*set)(struct osw_device *dev, void *to, int byte, uint64_t bytes);
    /* Sums of hashes, one per call: what is hashed from here on counts for
     * `slot`, below OSW_HASH_SLOTS.
     */
    void (*hash_begin)(struct osw_device *dev, uint32_t slot);
    /* Enqueue osw_hash_bytes; its value is added to the slot's sum. */
    void (*hash)(struct osw_device *dev, const void *data, uint64_t bytes,
                 uint64_t seed);
    /* The same, and copy n bytes.  A device may be asked for it together with
     * the copy that comes next: op code must not run before that, or sync.
     */
    void (*hash_copy)(struct osw_device *dev, const void *data, uint64_t bytes,
                      uint64_t seed, void *to, const void *from, uint64_t n);
    /* After sync: the sum of a slot. */
    uint64_t (*hash_sum)(struct osw_device *dev, uint32_t slot);
    /* Fetch and clear the error that a call of op code left: 0, or the device's
     * own number with its text in err.
     */
    int (*error)(struct osw_device *dev, struct osw_error *err);
    /* Wait until everything enqueued by this process is done.  As error;
     * *lost: nothing will work in this process any more.
     */
    int (*sync)(struct osw_device *dev, bool *lost, struct osw_error *err);
    /* The stream to hand to op code; NULL on CPU. */
    void *(*stream)(struct osw_device *dev);

    /* Take samples, ns per call, into samples[n_samples].  Returns how they
     * were taken; or OSW_TIMER_NONE: *code is what the call returned, or -1
     * when the device failed (then sync tells).
     */
    enum osw_timer (*time)(struct osw_device *dev, const struct osw_timing *ask,
                           float *samples, int *code);
    /* Samples of nothing (an empty pair of events) and of a kernel that does
     * nothing: what is below them cannot be told apart.  ns.
     */
    void (*floors)(struct osw_device *dev, double *empty_ns, double *null_ns);
};

/* Open device `index` and wake it.  As open. */
int osw_device_open(const struct osw_device_ops *ops, int index,
                    struct osw_device **out,
                    struct osw_error *err) OSW_MUST_CHECK;

/* A backend by kind: static storage, or NULL if there is none such here. */
const struct osw_device_ops *osw_device_find(const char *kind);

/* Kinds that users name, in order; NULL after the last.  Tests have one more.
 */
const char *osw_device_word(size_t i);
/* Is it one of these, or that of the tests? */
bool osw_device_is_kind(const char *kind);

/* What a device's driver compiles belongs to the build cache, not to the user's
 * home: variable `path_name` names a folder of it, or `off_name` is "1" where
 * there is none; neither when the user has set one of them.
 */
void osw_device_keep_cache(const char *path_name, const char *off_name);

/* Where there is a GPU, set the variables by which its driver is told how to
 * work here, but for those that the user has set.  A GPU does so itself when it
 * is first looked for.  A process of several threads calls this before there
 * are others: who reads the environment while it is written may crash.
 */
void osw_device_set_environment(void);

/* Why osw_device_find gives NULL for a kind that there can be. */
const char *osw_device_missing(const char *kind);

/* The kind that `--device auto` means here: the last that has a device, as far
 * as can be told without opening one.
 */
const char *osw_device_auto(void);

extern const struct osw_device_ops osw_device_cpu_ops;
extern const struct osw_device_ops osw_device_cuda_ops; /* of its plugin */

#endif /* OSW_WORKER_DEVICE_DEVICE_H */
