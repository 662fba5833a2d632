/* worker/judge/judge.h - what a worker holds while it judges
 *
 * Upstream: worker.c opens and closes it.  Downstream: bundle.c runs one
 * bundle through trial, oracle, verdict and measure.
 */
#ifndef OSW_WORKER_JUDGE_JUDGE_H
#define OSW_WORKER_JUDGE_JUDGE_H

#include "common/arena.h"
#include "ops/build/build.h"
#include "ops/cases/opinfo.h"
#include "ops/catalog/op.h"
#include "worker/bundle.h"
#include "worker/config.h"
#include "worker/device/nvml_async.h"
#include "worker/judge/memory/place.h"
#include "worker/judge/process/breaker.h"
#include "worker/judge/process/pool.h"
#include "worker/judge/timing/processor_roof.h"

/* What became of one file of the current op. */
struct osw_judge_built {
    bool done;
    struct osw_build_result result;
    const char *refused; /* why it could not be loaded; NULL: it was not tried,
                            or could be */
};

/* What an implementation of the current op showed so far: see batch.h, retry.h.
 */
struct osw_judge_tried {
    bool batch_excluded; /* not for batches: something was wrong */
    bool warm_up_ended;  /* a call on the other case ended its process */
    uint8_t n_confirmed; /* faults that a fresh process had, too */
    uint8_t n_acquitted; /* cells that were wrong in a batch, and right in two
                            processes */
};

enum { OSW_JUDGE_BATCHES = 3 }; /* on their way at a time: see batch.h */

struct osw_inputs; /* look_values.h */

struct osw_judge {
    struct osw_worker_config config; /* texts borrowed from the creator */
    struct osw_device *device;
    struct osw_device *host; /* the processor; device itself on a CPU */
    struct osw_pool pool;
    int token_fd;
    struct osw_place places[OSW_N_ZONES]; /* the host's memory, the device's */
    osw_arena_t *case_memory;
    osw_arena_t *op_memory;
    osw_arena_t *batch_memory[OSW_JUDGE_BATCHES]; /* of batches; NULL until
                                                     there is one */
    bool batch_half;               /* of windows, where the last batch lay */
    struct osw_result *results;    /* [OSW_PROTOCOL_MAX_STEPS] likewise */
    struct osw_judge_tried *tried; /* [op.n_impls] */
    bool reference_slow;           /* this op's: a second call was slow, too */
    uint32_t batch_pause; /* bundles of this op that go alone when... */
    uint32_t batch_wait;  /* ...cases failed in a batch; so many are left */
    bool warm_up_made;    /* or tried to: */
    struct osw_inputs *warm_up;   /* in op_memory; NULL: none.  See warm_up.h */
    uint64_t warm_up_case;        /* as sandbox->case_id */
    struct osw_op op;             /* valid while op_dir is set */
    struct osw_op_file generator; /* its gen_input.py, if it has one */
    struct osw_op_file samples;   /* torch's op database, for any op */
    const char *op_dir;           /* NULL: none loaded */
    struct osw_op_file checker;   /* a test of torch's: see opcheck.c */
    /* [op.n_impls + 5] after implementations the reference, the one in host
     * code beside it, the generator of cases, the checker, and torch's op
     * database.
     */
    struct osw_judge_built *built;
    struct osw_breaker breaker;
    struct osw_error unable; /* why it cannot go on: nothing is a file's fault
                                from then on */
    char work_dir[64];
    int work_fd;      /* see scratch.h */
    uint64_t n_cases; /* so far */
    bool known;       /* the device's speed is */
    double floor_ns;  /* a timed sample of nothing */
    double bandwidth; /* of memory, bytes read or written per s; 0: unknown */
    struct osw_processor_roof processor; /* without own memory */
    osw_nvml_t *nvml;        /* NULL: no such device, or no such library */
    struct osw_nvml_gpu gpu; /* of the device; handle NULL: not known */
    struct osw_nvml_async watched; /* what it said last, or will have said */
    struct osw_telemetry before;   /* what it had said before `timed` */
    struct osw_record *timed; /* waits for what it will have said, or NULL */
    struct osw_map canary;    /* memory of the device to try it by */
    double canary_ns; /* the least that such a try took; 0: not known yet */
    uint64_t random;  /* state of a generator for hidden choices */
    int64_t owed_ns;  /* of giving memory back, charged to the next bundle */
};

struct osw_worker {
    struct osw_judge judge;
    struct osw_device_info info; /* where the caller wants none */
};

/* Read an op's folder, unless it is the one at hand: sandboxes of the last op
 * end.  0, or -1 with err.
 */
int osw_judge_load_op(struct osw_judge *judge, const char *dir,
                      struct osw_error *err) OSW_MUST_CHECK;

/* End the sandboxes of the op at hand: the next one is read from its folder. */
void osw_judge_forget_op(struct osw_judge *judge);

/* As osw_worker_run, for one bundle. */
int osw_judge_bundle(struct osw_judge *judge, const struct osw_bundle *bundle,
                     void (*emit)(void *arg, const struct osw_record *record),
                     void *arg, struct osw_error *err) OSW_MUST_CHECK;

/* The sandbox of implementation `index` of the current op, or of its reference
 * (index op.n_impls, or n_impls + 1 for the one in host code), built and
 * loaded; adds to *build_ns.  NULL: *state and text say why; DEVICE: that is
 * not the file's fault.
 */
struct osw_sandbox *osw_judge_sandbox(struct osw_judge *judge, size_t index,
                                      int64_t *build_ns, enum osw_state *state,
                                      char *text, size_t size);

/* Is implementation `index` not judged any more? */
bool osw_judge_is_broken(const struct osw_judge *judge, size_t index);

/* Begin to load it, so that osw_judge_sandbox need not wait as long. */
void osw_judge_ask(struct osw_judge *judge, size_t index);

/* The same of torch's op database, and of what Python needs; no op is needed.
 */
void osw_judge_ask_op_db(struct osw_judge *judge);

/* The index for osw_judge_sandbox of what drew case `drawn`: gen_input.py, or
 * torch's op database.
 */
static inline size_t osw_judge_generator(const struct osw_judge *judge,
                                         double drawn)
{
    return judge->op.n_impls + (drawn < OSW_OPINFO_FIRST ? 2 : 4);
}

/* The index of the checker, likewise. */
static inline size_t osw_judge_checker(const struct osw_judge *judge)
{
    return judge->op.n_impls + 3;
}

/* Floor of the deadline of a phase, unless the config names one. */
#define OSW_JUDGE_DEADLINE_NS INT64_C(10000000000)

/* Deadline of loading: a longer floor counts here too, a shorter one is for
 * calls.
 */
int64_t osw_judge_load_deadline(const struct osw_judge *judge);

/* Build all that the bundle wants of its op, `reference` among it, and that is
 * not built yet, as many at a time as there are threads.  What cannot be built
 * says so when it is needed.  Returns the nanoseconds that it took.
 */
int64_t osw_judge_build_ahead(struct osw_judge *judge, osw_arena_t *memory,
                              const struct osw_bundle *bundle,
                              size_t reference);

/* Memory of the device (room.c).  Is it nearly used up? */
bool osw_judge_is_short(const struct osw_judge *judge);

/* Wait a while, as long as it is: for what killed processes held. */
void osw_judge_await_room(const struct osw_judge *judge);

/* As struct osw_place.make_room, of judge `arg`: idle sandboxes end. */
bool osw_judge_make_room(void *arg, uint64_t bytes, uint32_t *n_gone);

/* A call in that sandbox failed: was it for want of memory that others hold?
 * True: they have ended, and it may be made again.  Of judge `arg`.
 */
bool osw_judge_relieve(void *arg, const struct osw_sandbox *sandbox);

/* Have sandboxes begin to load what the bundle will want, `reference` among it:
 * together that takes no longer than one of them.  Returns the nanoseconds that
 * it took.
 */
int64_t osw_judge_load_ahead(struct osw_judge *judge,
                             const struct osw_bundle *bundle, size_t reference);

/* Is nothing more to be begun? */
static inline bool osw_judge_stops(const struct osw_judge *judge)
{
    return judge->config.stop && *judge->config.stop;
}

/* As struct osw_oracle_job.fit, over the pool of judge `arg`: idle sandboxes
 * give way when the device's memory is short.
 */
int osw_judge_ensure_bytes(void *arg, struct osw_sandbox *sandbox,
                           enum osw_zone zone, uint64_t bytes,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_JUDGE_H */
