/* worker/capture.h - the tensors of one judged cell, to be looked at
 *
 * Upstream: the judge calls it once per implementation, after the verdict and
 * before any timing.  Downstream: `opsweep show --dump`.  All memory is the
 * host's, wherever the cell ran, and is borrowed for the call.
 */
#ifndef OSW_WORKER_CAPTURE_H
#define OSW_WORKER_CAPTURE_H

#include "ops/record/record.h"
#include "worker/judge/memory/view.h"

/* One tensor that the case gives, as it was before the op ran. */
struct osw_capture_input {
    const char *arg; /* name of the argument */
    uint32_t item;   /* which of its tensors, from 0 */
    uint32_t n_items;
    struct osw_view view;
};

/* One output.  A view with data NULL is not known. */
struct osw_capture_output {
    struct osw_view want;    /* desc NULL: not expected; data NULL: see exact */
    const double *exact;     /* [numel of want] row-major; NULL: see want */
    const double *norm;      /* [numel of want]; NULL: none */
    struct osw_view got;     /* desc NULL: the implementation made none */
    double rtol, atol, ntol; /* as the comparison took them */
    bool to_the_bit;         /* they count as 0 */
};

struct osw_capture {
    const char *impl;                /* name of the implementation */
    const struct osw_record *record; /* verdict, reason and errors are set */
    const char *failed; /* why tensors could not be brought; NULL: they were */
    uint32_t n_inputs, n_outputs;
    const struct osw_capture_input *inputs;   /* [n_inputs] */
    const struct osw_capture_output *outputs; /* [n_outputs] */
};

typedef void (*osw_capture_f)(void *arg, const struct osw_capture *capture);

#endif /* OSW_WORKER_CAPTURE_H */
