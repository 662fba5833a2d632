/* worker/judge/eval/findings.h - what was found out about one call
 *
 * Facts only: verdict.h maps them to a state.  Upstream: exec.c (how the call
 * ended) and look.c (what it left in memory).
 */
#ifndef OSW_WORKER_JUDGE_FINDINGS_H
#define OSW_WORKER_JUDGE_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/record/record.h"
#include "ops/record/state.h"

/* The first thing that is wrong with a call; what comes later in this list was
 * not looked for.
 */
enum osw_fault {
    OSW_FAULT_NONE,
    OSW_FAULT_NOT_MADE, /* it could not be called: no memory for the case */
    OSW_FAULT_DEVICE,   /* the judge's own work on the device failed */
    OSW_FAULT_ENDED,    /* the sandbox died or was killed */
    OSW_FAULT_RETURNED, /* the op, or its device, reported an error */
    OSW_FAULT_DTYPE,
    OSW_FAULT_SHAPE,
    OSW_FAULT_REUSED, /* an output lies in the memory of an earlier result */
    OSW_FAULT_GUARD,
    OSW_FAULT_MUTATED,
    OSW_FAULT_ASYNC,   /* outputs changed after the call had returned */
    OSW_FAULT_VALUES,  /* elements are wrong, or errors too large together */
    OSW_FAULT_UNKNOWN, /* the values cannot be checked */
};

/* Errors of all outputs of a call; NaN where there are none. */
struct osw_value_errors {
    int64_t n_elem, n_bad, n_nan;
    int64_t bits;       /* of wrong elements: as many coins show how likely
                           they are another result's by chance */
    int64_t first_bad;  /* row-major index; -1: none */
    int32_t bad_output; /* of first_bad; -1: none */
    double max_abs, max_rel, max_ulp, max_allowed;
    double rms_norm, max_norm; /* of errors over norms */
    double tol_abs, tol_rel, tol_norm;
    double sum_sq;  /* of absolute errors */
    bool imprecise; /* rms_norm exceeds tol_norm */
};

/* The worst that a member of a gang found; of a judge that is alone, its own.
 */
struct osw_findings_of_all {
    enum osw_fault fault;
    bool untouched;
};

struct osw_findings {
    enum osw_fault fault;
    enum osw_phase phase; /* in which it was found */
    const char *text;     /* of the fault; in the arena, or static */
    /* ENDED */
    enum osw_state end_state;
    int end_signal;
    bool waited;  /* at the deadline, for another rank of its gang */
    bool follows; /* it knew that another rank had ended */
    /* ENDED and RETURNED */
    int32_t exit_code;
    bool from_device; /* RETURNED: the device's code, not the op's */
    bool unsupported, no_memory;
    /* Everything that came back */
    uint64_t claimed; /* hash of its outputs, by the sandbox after the call */
    uint64_t hash;    /* by the judge, of its copy; 0: not taken */
    bool compared;
    struct osw_value_errors errors; /* if compared */
    const char *appeal; /* what an appeal said of them; NULL: there was none */
    bool untouched;     /* the first bad element still holds the poison */
    struct osw_findings_of_all all;
};

static inline bool osw_findings_clean(const struct osw_findings *f)
{
    return f->fault == OSW_FAULT_NONE;
}

/* Errors go to a record, in place of those that it had. */
void osw_findings_keep_errors(const struct osw_findings *f,
                              struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_FINDINGS_H */
