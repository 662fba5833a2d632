/* worker/judge/compare/terms.h - what is summed to an element, from the inputs
 *
 * What the rules of tolerance.h ask for: how many terms, how many of these are
 * equal, whether they have a mean.  Sizes, fills and the number of
 * operations tell, since nothing else does.
 *
 * Upstream: eval/oracle.c, once the outputs are known.
 */
#ifndef OSW_WORKER_JUDGE_TERMS_H
#define OSW_WORKER_JUDGE_TERMS_H

#include "worker/judge/compare/tolerance.h"
#include "worker/judge/inputs/trial.h"

struct osw_terms_job {
    const struct osw_op *op;
    const struct osw_trial *inputs; /* of the reference */
    double n_output;                /* elements of all outputs */
    double n_largest;               /* of the largest one */
    double flops;                   /* of a call; NaN: not known */
    bool collective;
};

/* Of all outputs; what depends on one (dtype, norms) or on the trial is left.
 */
struct osw_tolerance_job osw_terms_of_case(const struct osw_terms_job *job);

/* Of the terms of an element of that output, the most that are equal in a row,
 * since inputs are expanded; 0: none is floating.
 */
double osw_terms_equal(const struct osw_terms_job *job,
                       const struct osw_tensor_desc *output);

#endif /* OSW_WORKER_JUDGE_TERMS_H */
