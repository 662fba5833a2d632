/* worker/worker.h - a worker: judges bundles, one at a time
 *
 * Upstream: mpi_runner's worker loop hands over bundles as they arrive.
 * Downstream: worker/judge, which talks to worker/sandbox through processes.
 * Knows nothing of MPI, of scheduling or of files of results.
 */
#ifndef OSW_WORKER_WORKER_H
#define OSW_WORKER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/record/device_info.h"
#include "ops/record/record.h"
#include "worker/capture.h"

/* How hard to measure.  The table of profiles is in worker/profile.c. */
struct osw_profile {
    const char *name; /* "smoke", "sweep", "precise" */
    bool time;        /* take timings at all */
    uint32_t n_warmup;
    uint32_t min_samples, max_samples;
    bool move;           /* a device's code and data elsewhere for each round */
    uint32_t first_look; /* rounds before the intervals are looked at; 6 give
                            the first one of 95 % */
    double ci_target; /* stop: half width of the median's interval / median */
    int64_t time_cap_ns; /* stop: wall clock of one cell's timing */
    int64_t block_ns;    /* length of an alternating block, about */
};

/* NULL when there is none of that name; osw_profile_at(i): NULL after last. */
const struct osw_profile *osw_profile_find(const char *name);
const struct osw_profile *osw_profile_at(size_t i);

/* Cases with inputs of at most so many bytes are judged in the host's memory,
 * for a device too, and many together when no times are wanted.
 */
enum { OSW_WORKER_SMALL_BYTES = 256 * 1024 };

struct osw_worker_config {
    const char *device;  /* "cpu": a row of the device table */
    int32_t rank;        /* for records */
    int32_t local_index; /* among the workers of this node, from 0 */
    int32_t n_local;     /* workers on this node, >= 1 */
    uint32_t n_threads;  /* host threads an op may use; 0: cores / n_local */
    uint64_t seed;       /* of the fills */
    uint64_t max_bytes;  /* memory of one bundle; 0: from free memory */
    const struct osw_profile *profile;
    int64_t deadline_ns;   /* floor of every phase's deadline; 0: the default */
    int64_t least_ns;      /* the same, also where op.json says less; 0: none */
    bool cold;             /* clear caches before each timed sample */
    bool signed_zero;      /* +0 and -0 differ in floating outputs */
    uint32_t n_files;      /* that will be loaded, about; 0: unknown */
    bool share_devices;    /* more workers on the node than devices are fine */
    bool keep_going;       /* go on after three crashes of a file */
    bool one_by_one;       /* small cases do not go together */
    uint64_t max_rss;      /* host memory of a sandbox; 0: from free memory */
    const char *cache_dir; /* build cache; NULL: the user's default */
    const char *objects_dir;  /* objects of the shipped library; NULL: none */
    const char *include_dir;  /* folder that holds opsweep/op.h */
    const char *sandbox_path; /* the sandbox program */
    const char *python;       /* interpreter of Python files; NULL: found */
    bool op_db; /* inputs come from torch's op database: begin to load it */
    /* Called at least every 100 ms while a bundle runs (not during one pass
     * over memory), for heartbeats.  May be NULL.
     */
    void (*tick)(void *arg);
    void *tick_arg;
    /* Where to describe its device while the worker is made, also when the
     * device cannot be used and none is; kind is "" when no device was found.
     * May be NULL.
     */
    struct osw_device_info *info;
    const bool *stop; /* once set, by tick: no more bundles are begun; may be
                         NULL */
    osw_capture_f capture; /* looks at the tensors of each cell; may be NULL */
    void *capture_arg;
};

/* One bundle: all cells of one (op, case).  Everything is borrowed. */
struct osw_bundle {
    uint64_t first_cell;   /* cell k is first_cell + k */
    uint32_t attempt;      /* from 1 */
    const char *op_dir;    /* the op's folder */
    const char *case_text; /* case notation */
    const char *fill; /* fills of its tensors in order: see ops/inputs/fill.h */
    const char *baselines; /* best first: see ops/catalog/baselines.h */
    enum osw_check check;  /* FULL or FREIVALDS, as planned */
    bool time;             /* performance case: timings are wanted */
    double flops, bytes;   /* as planned; NaN: unknown */
    int64_t cost_ns;       /* predicted, of all cells and their timing */
    int64_t call_ns;       /* predicted, of one call of one implementation */
    uint64_t digest;       /* of values that gen_input.py made; 0: unknown */
    uint32_t n_impls;
    const char *const *impls;  /* [n_impls] names: <op>_<name>.c */
    const uint64_t *cell_keys; /* [n_impls] */
};

typedef struct osw_worker osw_worker_t;

/* Open the device and make ready.  Blocks.  Returns a worker that the caller
 * owns, or NULL with err set.
 */
osw_worker_t *osw_worker_create(const struct osw_worker_config *config,
                                struct osw_error *err) OSW_MUST_CHECK;
void osw_worker_destroy(osw_worker_t *worker); /* NULL is ignored */

/* So many files will be loaded, about (0: it is not known): sandboxes for them
 * are started ahead.  For a worker that was made before that was planned.
 */
void osw_worker_expect(osw_worker_t *worker, uint32_t n_files);

/* End all its sandboxes and remove its folder, in the middle of a bundle too,
 * without waiting: this process is about to end, and nothing else may be done
 * with the worker.
 */
void osw_worker_abandon(osw_worker_t *worker);

/* Judge n bundles, small ones together: emit exactly n_impls records for each,
 * in any order, with `cell`, `cell_key`, `attempt` and `rank` set.  The record
 * is borrowed during the call.  Blocks until all are done, or config.stop is
 * set.
 *
 * Returns 0, whatever the verdicts; or -1 with err set when this worker cannot
 * go on; then the cells not emitted have no record.  Example: the build cache
 * cannot be written, which is no file's fault.
 */
int osw_worker_run(osw_worker_t *worker, const struct osw_bundle *bundles,
                   uint32_t n,
                   void (*emit)(void *arg, const struct osw_record *record),
                   void *arg, struct osw_error *err) OSW_MUST_CHECK;

/* Between bundles: is its device still sound?  Below a millisecond on a
 * processor and as much on a GPU, beside what its driver takes to answer.
 * Returns 0, or -1 with err set (OSW_DEVICE): what was judged since this last
 * returned 0 may be wrong, and nothing more must be judged.
 */
int osw_worker_prove(osw_worker_t *worker,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Sub-tests of one file: X(NAME, its word). */
/* clang-format off */
#define OSW_SUBTEST_MAP(X)                                                     \
    X(SCHEMA,  "schema")  /* writes and aliases what the schema says */        \
    X(META,    "meta")    /* <op>_meta declares what runs make */              \
    X(SHAPES,  "shapes")  /* cases of other sizes leave no trace */            \
    X(CAPTURE, "capture") /* a call can be captured into a graph */            \
    X(PREPARE, "prepare") /* every <op>_prepare has its <op>_finish */
/* clang-format on */

enum osw_subtest_id {
#define X(NAME, word) OSW_SUBTEST_##NAME,
    OSW_SUBTEST_MAP(X)
#undef X
        OSW_N_SUBTESTS
};

const char *osw_subtest_name(enum osw_subtest_id id);

enum osw_subtest_state {
    OSW_SUBTEST_WAS_SKIPPED,
    OSW_SUBTEST_WAS_OK,
    OSW_SUBTEST_WAS_FAILED
};

struct osw_subtest {
    enum osw_subtest_state state;
    char text[640]; /* what was seen, how it fails, or why it was skipped */
};

/* What `opsweep check` wants to know of one file, beyond verdicts. */
struct osw_contract {
    bool loaded, has_prepare, has_finish, has_meta, has_work;
    bool supported; /* it ran the case */
    struct osw_subtest tests[OSW_N_SUBTESTS];
    char text[1024]; /* why it was not loaded, or did not run the case */
};

/* Load implementation `impl` ("reference" for the reference) of the bundle's
 * op, run the case, and all sub-tests with it; `other` is a bundle of the same
 * op with another case (NULL: there is none).  Returns 0 whatever was found, or
 * -1 with err set: OSW_BAD_INPUT when case or folder is wrong.
 */
int osw_worker_contract(osw_worker_t *worker, const struct osw_bundle *bundle,
                        const struct osw_bundle *other, const char *impl,
                        struct osw_contract *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* torch's own sub-tests of an operator that is registered with it, in order:
 * their names; NULL after the last.
 */
const char *osw_opcheck_name(size_t i);

/* Run sub-test i of implementation `impl` on the bundle's case.  Returns as
 * osw_worker_contract; OSW_BAD_INPUT too when it is no registered operator.
 */
int osw_worker_opcheck(osw_worker_t *worker, const struct osw_bundle *bundle,
                       const char *impl, size_t i, struct osw_subtest *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Does the reference run that case?  Returns as osw_worker_contract. */
int osw_worker_supports(osw_worker_t *worker, const struct osw_bundle *bundle,
                        bool *supported, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_WORKER_H */
