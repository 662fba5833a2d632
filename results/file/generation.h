/* results/file/generation.h - how the kernels of a result file were generated
 *
 * A file of `opsweep generate` has a table /generation, a row per attempt, and
 * /generation/ops, a row per op that a kernel was asked for.  Any other file
 * has neither.
 *
 * Upstream: `opsweep generate`, merge.c.  Downstream: report_generation.h.
 */
#ifndef OSW_RESULTS_GENERATION_H
#define OSW_RESULTS_GENERATION_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "results/file/file.h"
#include "results/file/store.h"

/* X(member, description): texts. */
#define OSW_GENERATION_TEXTS(X)                                                \
    X(run, "name of the run's folder")                                         \
    X(op, "name of the op")                                                    \
    X(impl, "its implementation, as in /dict/impl; empty: nothing to judge")   \
    X(outcome, "what became of it: judged, duplicate, refused, failed, ...")   \
    X(api, "how the model was asked")                                          \
    X(model, "the model, as the endpoint says")                                \
    X(lang, "language that was asked for")                                     \
    X(source_sha256, "digest of its source; empty: it has none")

/* X(member, C type, type, units, description): numbers. */
#define OSW_GENERATION_NUMBERS(X)                                              \
    X(attempt, uint32_t, u32, "1", "its number, from 1, of the op")            \
    X(parent, uint32_t, u32, "1",                                              \
      "attempt that it was to work on; 0: it started from nothing")            \
    X(twin, uint32_t, u32, "1",                                                \
      "of a duplicate: the attempt that has its source; 0: none")              \
    X(tokens_in, uint64_t, u64, "1",                                           \
      "tokens of the prompt that went through no cache of the endpoint")       \
    X(tokens_cache_read, uint64_t, u64, "1", "those read from that cache")     \
    X(tokens_cache_write, uint64_t, u64, "1", "those written to it")           \
    X(tokens_out, uint64_t, u64, "1", "tokens of the answer")                  \
    X(cost, double, f64, "1",                                                  \
      "money, by --price; the most it could be where its end is unknown")      \
    X(n_planned, uint32_t, u32, "1", "cells that count")                       \
    X(n_passed, uint32_t, u32, "1", "of those: in group pass")                 \
    X(n_failed, uint32_t, u32, "1", "of those: in group fail")                 \
    X(n_errors, uint32_t, u32, "1", "of those: in group error")                \
    X(n_timed, uint32_t, u32, "1", "of those: with a speedup")                 \
    X(speedup, double, f64, "1", "geometric mean over those")                  \
    X(speedup_lo, double, f64, "1", "the same of the lower ends")              \
    X(speedup_hi, double, f64, "1", "the same of the upper ends")              \
    X(light, double, f64, "1", "geometric mean, share of the speed of light")  \
    X(ask_ns, int64_t, i64, "ns", "until the answer came")                     \
    X(judge_ns, int64_t, i64, "ns", "wall clock of its cells, added up")       \
    X(winner, uint8_t, u8, "1", "1: the last campaign chose it")

/* The same of an op; numbers are those of the chosen kernel in the last
 * campaign, over all cases.
 */
#define OSW_GENERATION_OP_TEXTS(X)                                             \
    X(run, "name of the run's folder")                                         \
    X(op, "name of the op")                                                    \
    X(baseline, "what speedups are relative to; empty: nothing")               \
    X(why, "why no more was asked")

#define OSW_GENERATION_OP_NUMBERS(X)                                           \
    X(n_attempts, uint32_t, u32, "1", "requests to the model")                 \
    X(winner, uint32_t, u32, "1", "attempt that was chosen; 0: none is right") \
    X(n_planned, uint32_t, u32, "1", "cells that count")                       \
    X(n_held_out, uint32_t, u32, "1", "of those: of cases no prompt showed")   \
    X(n_timed, uint32_t, u32, "1", "of those: with a speedup")                 \
    X(speedup, double, f64, "1", "geometric mean over those")                  \
    X(speedup_lo, double, f64, "1", "the same of the lower ends")              \
    X(speedup_hi, double, f64, "1", "the same of the upper ends")

/* Missing floats are NaN. */
struct osw_generation_attempt {
#define X(member, text) const char *member;
    OSW_GENERATION_TEXTS(X)
#undef X
#define X(member, ctype, type, units, text) ctype member;
    OSW_GENERATION_NUMBERS(X)
#undef X
};

struct osw_generation_op {
#define X(member, text) const char *member;
    OSW_GENERATION_OP_TEXTS(X)
#undef X
#define X(member, ctype, type, units, text) ctype member;
    OSW_GENERATION_OP_NUMBERS(X)
#undef X
};

struct osw_generation {
    struct osw_generation_attempt *attempts;
    size_t n_attempts;
    struct osw_generation_op *ops;
    size_t n_ops; /* 0: nothing of the file was generated */
};

/* Read that of a file; texts are borrowed from it, the rest is for
 * osw_generation_free().  Returns 0, or -1 with err set: OSW_BAD_INPUT (names
 * the file), OSW_NO_MEMORY.
 */
int osw_generation_read(const osw_file_t *file, struct osw_generation *out,
                        struct osw_error *err) OSW_MUST_CHECK;
void osw_generation_free(struct osw_generation *g); /* not its texts */

/* Append those of a file to *g, which keeps what it has.  As above. */
int osw_generation_append(const osw_file_t *file, struct osw_generation *g,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Write the tables into a file that is being made. */
void osw_generation_put(const struct osw_generation *g, osw_store_t *store);

/* Copy the result file `from` to `to` with the tables, whole or not at all;
 * `to` is replaced.  Returns 0, or -1 with err set.
 */
int osw_generation_copy(const char *from, const char *to,
                        const struct osw_generation *g,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_GENERATION_H */
