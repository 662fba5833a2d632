/* ops/record/record.h - what is known about one cell once it ended
 *
 * One table of columns makes the struct, its encoding for messages and the
 * journal, and the datasets of /results.  To add a column, write one line.
 *
 * Upstream: worker/judge fills it.  Downstream: results/ stores it.
 */
#ifndef OSW_OPS_RECORD_H
#define OSW_OPS_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/wire.h"

/* How an implementation was judged.  Numbers go to disk. */
/* clang-format off */
#define OSW_CHECK_MAP(X)                                                       \
    X(0, NONE,      "none")      /* not judged */                              \
    X(1, FULL,      "full")      /* every element against the reference */     \
    X(2, EXACT,     "exact")     /* every element, equal to the bit */         \
    X(3, FREIVALDS, "freivalds") /* matrix product, by random vectors */
/* clang-format on */
enum osw_check {
#define X(number, NAME, name) OSW_CHECK_##NAME = number,
    OSW_CHECK_MAP(X)
#undef X
};

/* Why sampling stopped.  Numbers go to disk. */
/* clang-format off */
#define OSW_STOP_MAP(X)                                                        \
    X(0, NONE,        "none")        /* not timed */                           \
    X(1, CONVERGED,   "converged")   /* interval of the median narrow enough */ \
    X(2, MAX_SAMPLES, "max_samples")                                           \
    X(3, TIME_LIMIT,  "time_limit")
/* clang-format on */
enum osw_stop {
#define X(number, NAME, name) OSW_STOP_##NAME = number,
    OSW_STOP_MAP(X)
#undef X
};

/* How calls are timed.  Numbers go to disk. */
/* clang-format off */
#define OSW_TIMER_MAP(X)                                                       \
    X(0, NONE,   "none")   /* not timed */                                     \
    X(1, CLOCK,  "clock")  /* the host's clock around calls */                 \
    X(2, GRAPH,  "graph")  /* device events in a captured graph */             \
    X(3, STREAM, "stream") /* device events in a stream that was held back */  \
    X(4, NEW_INPUTS, "new_inputs") /* calls whose inputs are new throughout */
/* clang-format on */
enum osw_timer {
#define X(number, NAME, name) OSW_TIMER_##NAME = number,
    OSW_TIMER_MAP(X)
#undef X
};

/* How a collective op combines values.  Numbers go to disk. */
/* clang-format off */
#define OSW_REDOP_MAP(X)                                                       \
    X(0, NONE, "none") /* it does not, or it is not known */                   \
    X(1, SUM,  "sum")                                                          \
    X(2, PROD, "prod")                                                         \
    X(3, MAX,  "max")                                                          \
    X(4, MIN,  "min")                                                          \
    X(5, AVG,  "avg")
/* clang-format on */
enum osw_redop {
#define X(number, NAME, name) OSW_REDOP_##NAME = number,
    OSW_REDOP_MAP(X)
#undef X
};

/* X(wire type, C type, field, units, description), in the file's order.
 *
 * Columns *_id are indices into /dict/<name>; those that the coordinator sets
 * when it interns the texts are 0 in a message.  Missing: NaN for floats, -1
 * for first_bad and bad_output, 0 elsewhere.  Phases add up to wall_ns, but for
 * rounding.
 */
/* clang-format off */
#define OSW_RECORD_MAP(X)                                                      \
    X(u64, uint64_t, cell_key,      "1", "hash of op, implementation, case, fill and device kind") \
    X(u64, uint64_t, cell,          "1", "index of the cell in the plan")      \
    X(u32, uint32_t, op_id,         "1", "index in /dict/op")                  \
    X(u32, uint32_t, impl_id,       "1", "index in /dict/impl")                \
    X(u32, uint32_t, case_id,       "1", "index in /dict/case")                \
    X(u32, uint32_t, dtype_id,      "1", "index in /dict/dtype: of the first tensor") \
    X(u32, uint32_t, fill_id,       "1", "index in /dict/fill: of all tensors") \
    X(u32, uint32_t, host_id,       "1", "index in /dict/host")                \
    X(u32, uint32_t, device_id,     "1", "index in /dict/device")              \
    X(i32, int32_t,  rank,          "1", "MPI rank that ran it; -1: not run")  \
    X(u32, uint32_t, attempt,       "1", "dispatches of the cell so far, from 1") \
    X(u8,  uint8_t,  status_id,     "1", "verdict: index in /dict/status")     \
    X(u8,  uint8_t,  phase_id,      "1", "where it was decided: index in /dict/phase") \
    X(u8,  uint8_t,  check_id,      "1", "how it was judged: index in /dict/check") \
    X(u8,  uint8_t,  stop_id,       "1", "why sampling stopped: index in /dict/stop") \
    X(u32, uint32_t, reason_id,     "1", "index in /dict/reason: words beside the verdict") \
    X(u32, uint32_t, output_id,     "1", "index in /dict/output: captured stdout and stderr") \
    X(u32, uint32_t, reference_id,  "1", "index in /dict/reference: the oracle used") \
    X(u32, uint32_t, baseline_id,   "1", "index in /dict/baseline: what speedup is relative to") \
    X(i32, int32_t,  signal,        "1", "signal that ended the sandbox; 0: none") \
    X(i32, int32_t,  exit_code,     "1", "return value or exit status; 0: none") \
    X(i64, int64_t,  t_start_ns,    "nanoseconds since 1970-01-01T00:00:00Z", "start of the cell") \
    X(i64, int64_t,  wall_ns,       "ns", "wall clock of the cell, shares of its bundle included") \
    X(i64, int64_t,  build_ns,      "ns", "phase: compiling and loading")      \
    X(i64, int64_t,  fill_ns,       "ns", "phase: filling inputs, poisoning outputs") \
    X(i64, int64_t,  reference_ns,  "ns", "phase: running the reference")      \
    X(i64, int64_t,  run_ns,        "ns", "phase: running the implementation for the verdict") \
    X(i64, int64_t,  verify_ns,     "ns", "phase: comparing, checking guards and inputs") \
    X(i64, int64_t,  time_ns,       "ns", "phase: timing")                     \
    X(i64, int64_t,  wait_ns,       "ns", "phase: waiting for the node's timing token") \
    X(f64, double,   t_min_ns,      "ns", "fastest sample")                    \
    X(f64, double,   t_q1_ns,       "ns", "first quartile of samples")         \
    X(f64, double,   t_median_ns,   "ns", "median of samples")                 \
    X(f64, double,   t_q3_ns,       "ns", "third quartile of samples")         \
    X(f64, double,   t_p95_ns,      "ns", "95th percentile of samples")        \
    X(f64, double,   t_max_ns,      "ns", "slowest sample")                    \
    X(f64, double,   t_mean_ns,     "ns", "mean of samples")                   \
    X(f64, double,   t_mad_ns,      "ns", "median absolute deviation from the median") \
    X(f64, double,   t_ci_lo_ns,    "ns", "95 % interval of the median, lower end") \
    X(f64, double,   t_ci_hi_ns,    "ns", "95 % interval of the median, upper end") \
    X(f64, double,   baseline_median_ns, "ns", "median of the baseline's samples in the same blocks") \
    X(f64, double,   speedup,       "1", "baseline time over own time")        \
    X(f64, double,   speedup_lo,    "1", "95 % interval of speedup, lower end") \
    X(f64, double,   speedup_hi,    "1", "95 % interval of speedup, upper end") \
    X(u64, uint64_t, sample_off,    "1", "first index in /samples/t")          \
    X(u32, uint32_t, sample_n,      "1", "number of samples")                  \
    X(u32, uint32_t, n_inner,       "1", "calls per sample")                   \
    X(u32, uint32_t, n_warmup,      "1", "untimed calls before the first sample") \
    X(u8,  uint8_t,  timer_id,      "1", "how samples were taken: index in /dict/timer") \
    X(f64, double,   t_hot_ns,      "ns", "median of samples with warm caches, back to back") \
    X(f64, double,   t_wall_ns,     "ns", "median by the host's clock, until the device is done") \
    X(f64, double,   t_floor_ns,    "ns", "what a sample of an empty kernel takes") \
    X(f64, double,   t_light_ns,    "ns", "least time that bytes and operations take here; NaN: unknown") \
    X(f64, double,   clock_mhz,     "MHz", "clock of the processing units after timing; NaN: unknown") \
    X(f64, double,   temperature_c, "Cel", "temperature of the device after timing") \
    X(f64, double,   power_w,       "W", "mean power of the device while timing") \
    X(f64, double,   energy_j,      "J", "energy of the device while timing") \
    X(u64, uint64_t, throttle,      "1", "reasons that held clocks back while timing: bits of NVML") \
    X(u8,  uint8_t,  cold,          "1", "1: caches were cleared before each sample") \
    X(f64, double,   bytes,         "B", "unique bytes the case must move; NaN: unknown") \
    X(f64, double,   flops,         "1", "operations of the case; NaN: unknown") \
    X(f64, double,   gbps,          "GB/s", "bytes over median")               \
    X(f64, double,   gflops,        "GFLOP/s", "operations over median")       \
    X(u32, uint32_t, world,         "1", "ranks that judged it together; 0: the op is not collective") \
    X(u8,  uint8_t,  redop_id,      "1", "how a collective op combines values: index in /dict/redop") \
    X(f64, double,   coll_count,    "1", "elements that a rank gives to a collective op, as nccl-tests count; NaN: unknown") \
    X(f64, double,   coll_bytes,    "B", "size of a collective op, by which algbw is computed; NaN: unknown") \
    X(f64, double,   algbw,         "GB/s", "coll_bytes over median")          \
    X(f64, double,   busbw,         "GB/s", "algbw times the part that crosses a rank's busiest link") \
    X(f64, double,   skew_ns,       "ns", "a sample of the slowest rank less the quickest one's, mean") \
    X(i64, int64_t,  n_elem,        "1", "elements compared, all outputs")     \
    X(i64, int64_t,  n_bad,         "1", "elements out of tolerance")          \
    X(i64, int64_t,  n_nan,         "1", "elements that are NaN where none is expected, or the reverse") \
    X(i64, int64_t,  first_bad,     "1", "row-major index of the first bad element; -1: none") \
    X(i32, int32_t,  bad_output,    "1", "output that index is in; -1: none")  \
    X(f64, double,   max_abs_err,   "1", "largest absolute error")             \
    X(f64, double,   max_rel_err,   "1", "largest relative error where the expected value is not 0") \
    X(f64, double,   max_ulp_err,   "1", "largest error in units of the output's last place") \
    X(f64, double,   err_of_allowed, "1", "largest error over what was allowed for its element; NaN: unknown") \
    X(f64, double,   rms_norm_err,  "1", "rms of error over the norm of summed terms; NaN: no norms") \
    X(f64, double,   max_norm_err,  "1", "largest error over the norm of summed terms") \
    X(f64, double,   tol_norm,      "1", "rms_norm_err that the precision class allows; NaN: no such rule") \
    X(u32, uint32_t, trials,        "1", "inputs on which it was judged beside its own: 1 redraw, 2 integers, 4 offset, 8 special, 16 wide, 32 ties, 64 permuted") \
    X(u8,  uint8_t,  repeats,       "1", "two runs on the same inputs: 1: equal to the bit; 2: not; 0: unknown") \
    X(f64, double,   tol_abs,       "1", "absolute tolerance applied")         \
    X(f64, double,   tol_rel,       "1", "relative tolerance applied")         \
    X(u64, uint64_t, memory_bytes,  "B", "memory the case was planned with")   \
    X(u8,  uint8_t,  suspect,       "1", "1: its device failed afterwards, before it was found sound again")
/* clang-format on */

enum {
    OSW_RECORD_MAX_SAMPLES = 2048,
    OSW_RECORD_MAX_TEXT = 8192, /* bytes of reason, of output, with the NUL */
    /* Bound on an encoded record. */
    OSW_RECORD_MAX_BYTES =
        1024 + 4 * OSW_RECORD_MAX_SAMPLES + 4 * OSW_RECORD_MAX_TEXT,
};

struct osw_record {
#define X(wire, type, field, units, text) type field;
    OSW_RECORD_MAP(X)
#undef X
    /* Beside the columns.  Texts are borrowed, never NULL once initialised;
     * the coordinator interns them.  Samples: [sample_n] ns, borrowed.
     */
    const char *reason;
    const char *output;
    const char *reference;
    const char *baseline;
    const float *samples;
};

enum osw_column_type {
    OSW_COLUMN_u8,
    OSW_COLUMN_u32,
    OSW_COLUMN_u64,
    OSW_COLUMN_i32,
    OSW_COLUMN_i64,
    OSW_COLUMN_f64,
};

struct osw_column {
    const char *name;
    const char *units;
    const char *text;
    enum osw_column_type type;
    size_t offset; /* in struct osw_record */
};

/* The columns in order; *n is their number.  Static storage. */
const struct osw_column *osw_record_columns(size_t *n);

/* Everything missing: see OSW_RECORD_MAP. */
void osw_record_init(struct osw_record *r);

/* Append to a message; check w->overrun afterwards. */
void osw_record_encode(const struct osw_record *r, struct osw_writer *w);

/* Read one untrusted record: bounds, known states, finite text.  Texts
 * are borrowed from the message, samples copied to samples[MAX_SAMPLES].
 * Returns 0, or -1 with err set to OSW_PROTOCOL.
 */
int osw_record_decode(struct osw_reader *rd, struct osw_record *r,
                      float *samples, struct osw_error *err) OSW_MUST_CHECK;

const char *osw_check_name(enum osw_check check);
const char *osw_stop_name(enum osw_stop stop);
/* The sum of its phases, ns. */
int64_t osw_record_phases_ns(const struct osw_record *r);

/* Add ns, which may be below 0, to one of its phases.  What that phase does not
 * have is taken from others: none is below 0 then, and they add up, unless all
 * together have less.
 */
void osw_record_charge(struct osw_record *r, int64_t *phase_ns, int64_t ns);

/* Were clocks held down, by a record's `throttle`? */
bool osw_record_throttled(uint64_t throttle);

const char *osw_timer_name(enum osw_timer timer);
const char *osw_redop_name(enum osw_redop redop);
int osw_redop_find(const char *name); /* -1: unknown */

#endif /* OSW_OPS_RECORD_H */
