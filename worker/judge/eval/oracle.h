/* worker/judge/eval/oracle.h - what the outputs of a case should be
 *
 * Runs the reference in its own sandbox and copies its outputs to the judge's
 * private memory, which no other process can reach.
 */
#ifndef OSW_WORKER_JUDGE_ORACLE_H
#define OSW_WORKER_JUDGE_ORACLE_H

#include "worker/judge/compare/sensitivity.h"
#include "worker/judge/compare/tolerance.h"
#include "worker/judge/gang/world.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/process/sandbox.h"

struct osw_oracle_output {
    struct osw_output as_run;    /* dtype, shape, strides, alias */
    struct osw_tensor_desc desc; /* the same, contiguous, for views */
    struct osw_expected want;    /* in private memory; unset without values */
    /* Float64 values, [osw_output_n_exact()] in private memory; NULL: none.
     * Those of complex outputs (parts one after the other), and those that may
     * be another function's, are for appeals alone: want is what the reference
     * wrote.
     */
    const double *exact;
    struct osw_tolerance_job tolerance; /* what errors it may have */
    struct osw_accept accept;           /* of an element, by the same */
};

/* The results of the reference's runs on perturbed inputs of one trial: see
 * appeal.h.
 */
struct osw_appeal {
    bool asked;
    int bits; /* that inputs were perturbed at */
    /* [n_outputs] in the arena; amount NULL: not known of that output.  NULL:
     * of none, and why says what is missing.
     */
    struct osw_sensitivity *outputs;
    /* [n_outputs] what the reference made in their own dtypes, extents of the
     * outputs as it ran, in the host's memory; NULL: not known.
     */
    unsigned char **own;
    char why[160];
};

struct osw_oracle_result {
    bool have_shapes; /* outputs are described */
    bool have_values; /* and their values known */
    bool too_large;   /* for the window: try the arena */
    uint32_t n_outputs;
    struct osw_oracle_output *outputs; /* [n_outputs] in the arena */
    double bytes, flops;               /* by <op>_work; NaN: none */
    int64_t call_ns;                   /* about what the reference took */
    char note[160];                    /* on the values; "" when none */
    struct osw_appeal *appeal; /* in the arena; NULL: there can be none */
    /* Why there is neither: REFERENCE, UNVERIFIED ... with a message. */
    enum osw_state state;
    char text[512];
};

/* Where and how the reference runs. */
struct osw_oracle_job {
    osw_arena_t *memory;
    const struct osw_op *op;
    struct osw_trial *trial_inputs; /* of all ranks in a collective op */
    const struct osw_world *world;  /* then; else NULL */
    struct osw_sandbox *sandbox;
    int64_t deadline_ns;
    bool meta_only;    /* only descriptions, by <op>_meta */
    bool of_reference; /* what it writes without declaring it is an output: see
                          inputs/written.h */
    int trial;    /* enum osw_trial_kind of the inputs; -1: the case's own */
    double flops; /* as planned; NaN: unknown */
    bool signed_zero; /* +0 and -0 differ */
    /* Ensure so many bytes in a zone of the sandbox; ends idle sandboxes for it
     * if need be.  As osw_sandbox_ensure_bytes.
     */
    int (*fit)(void *arg, struct osw_sandbox *sandbox, enum osw_zone zone,
               uint64_t bytes, struct osw_error *err);
    void *fit_arg;
    /* A call failed: may it be repeated, since idle sandboxes that held the
     * device's memory were ended?  With fit_arg; may be NULL.
     */
    bool (*relieve)(void *arg, const struct osw_sandbox *sandbox);
};

/* Run the reference on the trial (inputs zone copied to its sandbox), keep its
 * outputs in the private memory of the trial's place.  Reports failures only in
 * *out.
 */
void osw_oracle_run(const struct osw_oracle_job *job,
                    struct osw_oracle_result *out);

/* The two halves of it, for calls that are made together.  Put: write the
 * inputs to `zone`, and the request (a CASE for zone job->sandbox->zone) to the
 * writer; false, with the reason in *out, when it cannot be made.  Take: read
 * the outputs.
 */
bool osw_oracle_put(const struct osw_oracle_job *job,
                    struct osw_zone_memory zone, struct osw_writer *w,
                    struct osw_oracle_result *out);
void osw_oracle_take(const struct osw_oracle_job *job,
                     const struct osw_result *result,
                     struct osw_zone_memory zone,
                     struct osw_oracle_result *out);

/* Run the reference once more on other inputs, `image` in the host's memory,
 * laid out as those of the trial.  Copies the float64 values of output i to
 * values[i], where that is not NULL, and its own ones to own[i], likewise (own
 * NULL: none).  False, with the reason in why: it did not run, or its outputs
 * are not as described by `like`.
 */
bool osw_oracle_again(const struct osw_oracle_job *job, unsigned char *image,
                      const struct osw_oracle_result *like,
                      double *const *values, unsigned char *const *own,
                      char *why, size_t size);

/* Hand the case to a fresh sandbox of the reference and run it once, outputs
 * unread: ready for measure.h.  False when it did not run.
 */
bool osw_oracle_arm(const struct osw_oracle_job *job);

/* Mark the arguments that the reference writes in place. */
void osw_oracle_mark_written(const struct osw_oracle_result *oracle,
                             struct osw_trial *trial);

#endif /* OSW_WORKER_JUDGE_ORACLE_H */
