/* worker/made.h - inputs of a case, and what the reference makes of them
 *
 * Upstream: worker/judge/contract/made.c.  Downstream: `opsweep check`,
 * `opsweep export-ops`.  Everything is borrowed until the call returns.
 */
#ifndef OSW_WORKER_MADE_H
#define OSW_WORKER_MADE_H

#include "common/error.h"
#include "ops/inputs/bind.h"
#include "worker/bundle.h"
#include "worker/worker.h"

/* A tensor of the arguments, as it was before the call. */
struct osw_made_input {
    uint32_t arg; /* index of the argument that holds it */
    const struct osw_tensor_desc *desc;
    void *data;     /* element 0, in the host's memory; strides of desc */
    uint64_t bytes; /* to the end of its last element */
};

struct osw_made_output {
    const struct osw_tensor_desc *desc; /* strides of values, if not exact */
    int32_t alias;                      /* the argument that it is; -1: new */
    const void *values;  /* in the host's memory; NULL: exact counts */
    const double *exact; /* contiguous; NULL: values count */
    uint64_t bytes;      /* of values or exact */
    double rtol, atol;   /* what the judge allows where its norm is largest;
                            both 0: equal to the bit */
};

struct osw_made {
    const struct osw_bound_arg *args; /* [n_args] in the schema's order */
    size_t n_args;
    const struct osw_made_input *inputs; /* [n_inputs] depth first */
    size_t n_inputs;
    const struct osw_made_output *outputs; /* [n_outputs] */
    size_t n_outputs;
};

/* Run the reference of the bundle's op once on the bundle's case, on a
 * processor, and hand over what it made.  Without a reference, or when it does
 * not run the case, `see` is not called, and why [512] says why.  Returns 0, or
 * -1 with err set.
 */
int osw_worker_make(osw_worker_t *worker, const struct osw_bundle *bundle,
                    void (*see)(void *arg, const struct osw_made *made),
                    void *arg, char why[512],
                    struct osw_error *err) OSW_MUST_CHECK;

/* The same on other values: `change` may write the tensors of the case,
 * elements only, before the call.
 */
int osw_worker_make_changed(osw_worker_t *worker,
                            const struct osw_bundle *bundle,
                            void (*change)(void *arg,
                                           const struct osw_made_input *inputs,
                                           size_t n_inputs),
                            void (*see)(void *arg, const struct osw_made *made),
                            void *arg, char why[512],
                            struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_MADE_H */
