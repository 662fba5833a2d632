/* ops/inputs/trials.h - inputs beside a case's own on which it is judged too
 *
 * Random values of one distribution say little about an implementation: a
 * cached result, a lost term, a one-pass variance pass on them.  So the same
 * case is run again, at the same addresses, on other inputs.  Which of them
 * mean something for an op, its author knows (op.json, key "trials"); other
 * numbers of the same kind always do.
 *
 * Where op.json does not say, an op has those of its name.  A tensor of
 * integers may be an index, a count or a shift, and its fill does not tell; so
 * WIDE is for operators of torch of which the name says that they compute with
 * any integers, element by element or in sums that wrap around (also where an
 * index says what is added; the index keeps its fill).  TIES is for
 * those that choose the largest or the smallest.
 *
 * To add one, write a row below, and:
 *   trials.c             its fill, and the ops that have it by their names
 *   worker/judge/eval/   rounds.c: its place in the order, and a round;
 *                        verdict.c: what reasons begin with; checks.h: a check
 *                        of its name, with a row in tests/mutants/checks.txt
 *   ops/record/record.h  its bit in the text of the column `trials`
 */
#ifndef OSW_OPS_TRIALS_H
#define OSW_OPS_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/inputs/fill.h"
#include "ops/notation/dtype.h"

/* Bits go to disk: never reused. */
/* clang-format off */
#define OSW_TRIAL_MAP(X)                                                       \
    /* bit, NAME, text */                                                      \
    X(0, REDRAW,   "redraw")   /* the same fills, new values */                \
    X(1, INTEGERS, "integers") /* -1, 0, 1: sums of products are exact */      \
    X(2, OFFSET,   "offset")   /* mean +-100 beside a deviation of 1 */        \
    X(3, SPECIAL,  "special")  /* NaN, infinities, zeros, extremes */          \
    X(4, WIDE,     "wide")     /* integers of the dtype's whole range */       \
    X(5, TIES,     "ties")     /* floats that 16 (f64: 32) bits cannot tell    \
                                  apart */                                 \
    X(6, PERMUTED, "permuted") /* the case's own, some in other places */
/* clang-format on */

enum osw_trial_kind {
#define X(bit, NAME, text) OSW_TRIAL_##NAME = bit,
    OSW_TRIAL_MAP(X)
#undef X
};

#define X(bit, NAME, text) +1
enum { OSW_N_TRIALS = 0 OSW_TRIAL_MAP(X) };
#undef X

/* Those that every op has. */
enum { OSW_TRIALS_ALWAYS = 1 << OSW_TRIAL_REDRAW | 1 << OSW_TRIAL_PERMUTED };

/* Mean of OFFSET, in deviations. */
#define OSW_TRIAL_MEAN 100.0

/* Is a row of n elements too short for OFFSET?  The rounding error of a mean of
 * so few numbers may be larger than their spread.
 */
static inline bool osw_trial_is_short(int64_t n)
{
    return n > 1 && n < 8;
}

const char *osw_trial_name(enum osw_trial_kind kind);
/* The kind of that name, or -1. */
int osw_trial_find(const char *name);

/* Has it fills of its own?  Else the case's own count. */
bool osw_trial_has_fills(enum osw_trial_kind kind);

/* The trials, as a bit set, of an op of that name ("aten.add_.Tensor") of which
 * op.json does not say them: REDRAW, PERMUTED, and what the name tells.
 */
uint32_t osw_trial_defaults(const char *name);

/* The fill of a tensor in a trial whose own fill is `own`: none in REDRAW and
 * PERMUTED; in WIDE integers whose fill is the default of their dtype; in TIES
 * f32 and f64 of mean 0; in the others all floating tensors of mean 0 (OFFSET
 * takes one of these at a time).
 */
struct osw_fill osw_trial_fill_of(enum osw_trial_kind kind,
                                  enum osw_dtype_id dtype,
                                  const struct osw_fill *own);

/* Is a fill of a floating tensor symmetric about 0? */
bool osw_trial_is_centred(const struct osw_fill *fill);

#endif /* OSW_OPS_TRIALS_H */
