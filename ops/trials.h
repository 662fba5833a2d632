/* ops/trials.h - inputs beside a case's own on which it is judged too
 *
 * One draw of one distribution says little about an implementation: a cached
 * result, a lost term, a one-pass variance pass on it.  So the same case is
 * run again, at the same addresses, on other inputs.  Which of them mean
 * something for an op, its author knows (op.json, key "trials"); other numbers
 * of the same kind always do.
 */
#ifndef OSW_OPS_TRIALS_H
#define OSW_OPS_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/dtype.h"
#include "ops/fill.h"

/* Bits go to disk: never reused. */
/* clang-format off */
#define OSW_TRIAL_MAP(X)                                                       \
    /* bit, NAME, text */                                                      \
    X(0, REDRAW,   "redraw")   /* the same fills, drawn anew */                \
    X(1, INTEGERS, "integers") /* -1, 0, 1: sums of products are exact */      \
    X(2, OFFSET,   "offset")   /* mean 100 beside a deviation of 1 */          \
    X(3, SPECIAL,  "special")  /* NaN, infinities, zeros, extremes */
/* clang-format on */

enum osw_trial_kind {
#define X(bit, NAME, text) OSW_TRIAL_##NAME = bit,
    OSW_TRIAL_MAP(X)
#undef X
};

enum { OSW_N_TRIALS = 4 };

/* Mean of OFFSET, in deviations. */
#define OSW_TRIAL_MEAN 100.0

const char *osw_trial_name(enum osw_trial_kind kind);
/* The kind of that name, or -1. */
int osw_trial_find(const char *name);

/* The fill of a tensor in a trial whose own fill is `own`: only floating
 * tensors of mean 0 change, and none in REDRAW.
 */
struct osw_fill osw_trial_fill_of(enum osw_trial_kind kind,
                                  enum osw_dtype_id dtype,
                                  const struct osw_fill *own);

/* Is a fill of a floating tensor symmetric about 0? */
bool osw_trial_is_centred(const struct osw_fill *fill);

#endif /* OSW_OPS_TRIALS_H */
