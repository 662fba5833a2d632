/* worker/judge/eval/checks.h - the checks of the verifier, one of which may be
 * left out
 *
 * Not in the program that is installed: there OSW_CHECKS(NAME) is true, and
 * nothing reads the environment.  opsweep-checks, a build of the tests with
 * OSW_DISABLE_CHECKS, leaves out the check that OPSWEEP_DISABLE_CHECK names, to
 * show which faults only that check finds (tests/mutants/checks.py).
 */
#ifndef OSW_WORKER_JUDGE_CHECKS_H
#define OSW_WORKER_JUDGE_CHECKS_H

#ifdef OSW_DISABLE_CHECKS

#include <stdbool.h>

#include "common/error.h"

/* FINDS: without it, faults that only it finds pass.  NAMES: without it these
 * faults get another state.
 */
/* clang-format off */
#define OSW_CHECKS_MAP(X)                                                      \
    /* what the outputs are */                                                 \
    X(SHAPE,            "shape",            FINDS) /* how many, aliases too */ \
    X(DTYPE,            "dtype",            FINDS)                             \
    /* their values */                                                         \
    X(NAN,              "nan",              FINDS)                             \
    X(TO_THE_BIT,       "to-the-bit",       FINDS) /* integers, exact ops */   \
    X(VALUE_TOLERANCE,  "value-tolerance",  FINDS) /* by dtype */              \
    X(NORMS,            "norms",            FINDS) /* without: by dtype */     \
    X(NORM_RMS,         "norm-rms",         FINDS) /* of all errors */         \
    X(NORM_ELEMENT,     "norm-element",     FINDS) /* of each error */         \
    X(RATIO,            "ratio",            FINDS) /* to the baseline's */     \
    X(TRUNCATION,       "truncation",       FINDS) /* of 16-bit results */     \
    X(FREIVALDS,        "freivalds",        FINDS) /* in place of values */    \
    X(RESIDUAL,         "residual",         FINDS) /* the same, of reals */    \
    X(WEAK,             "weak",             FINDS) /* would all pass? */       \
    /* the same on other inputs (ops/inputs/trials.h) */                       \
    X(REDRAW,           "redraw",           FINDS)                             \
    X(INTEGERS,         "integers",         FINDS)                             \
    X(OFFSET,           "offset",           FINDS)                             \
    X(SPECIAL,          "special",          FINDS)                             \
    X(WIDE,             "wide",             FINDS)                             \
    X(TIES,             "ties",             FINDS)                             \
    X(PERMUTED,         "permuted",         FINDS)                             \
    X(TIMED_CALLS,      "timed-calls",      FINDS) /* edited, some verified */ \
    X(TIMED_RECHECK,    "timed-recheck",    FINDS) /* after timing */          \
    X(WHOLE,            "new-inputs",       FINDS) /* in every element */      \
    /* memory */                                                               \
    X(POISON,           "poison",           FINDS) /* without: zeros */        \
    X(GUARD,            "guard",            FINDS) /* and gaps */              \
    X(MUTATED,          "mutated",          FINDS) /* inputs */                \
    X(MOVED,            "moved",            FINDS) /* zones, once */           \
    X(WARM_UP,          "warm-up",          FINDS) /* on another case */       \
    /* behaviour */                                                            \
    X(ASYNC_HASH,       "async-hash",       FINDS) /* at once and later */     \
    X(NONDETERMINISTIC, "nondeterministic", FINDS)                             \
    X(IMPLAUSIBLE,      "implausible",      FINDS) /* by another clock */      \
    /* the state of what is wrong anyway */                                    \
    X(SECOND_LOOK,      "second-look",      NAMES) /* async, not value */      \
    X(FRESH_PROCESS,    "fresh-process",    NAMES) /* stale, not value */      \
    X(DOUBT,            "doubt",            NAMES) /* precision, not value */  \
    X(UNTOUCHED,        "untouched",        NAMES) /* unwritten, not value */
/* clang-format on */

enum osw_checks {
#define X(NAME, text, does) OSW_CHECKS_##NAME,
    OSW_CHECKS_MAP(X)
#undef X
};

#define OSW_CHECKS(NAME) osw_checks_has(OSW_CHECKS_##NAME)

/* Is that check made?  Called from one thread. */
bool osw_checks_has(enum osw_checks check);

/* Leave out the check of that name; NULL and "": none.  Returns 0, or -1 with
 * err: OSW_BAD_INPUT for a name that is none, with those that are.
 */
int osw_checks_leave_out(const char *name,
                         struct osw_error *err) OSW_MUST_CHECK;

#else
#define OSW_CHECKS(NAME) true
#endif

#endif /* OSW_WORKER_JUDGE_CHECKS_H */
