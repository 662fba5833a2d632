/* worker/judge/batch/batch_cases.h - which small cases go together, and their
 * inputs
 *
 * Upstream: batch.c, which has them run.
 */
#ifndef OSW_WORKER_JUDGE_BATCH_CASES_H
#define OSW_WORKER_JUDGE_BATCH_CASES_H

#include "worker/judge/eval/eval.h"

enum {
    OSW_BATCH_CASES = 32,
    OSW_BATCH_VARIANTS = OSW_N_TRIALS + OSW_TRIAL_TURNS,
    OSW_BATCH_PAGE = 4096,
};

/* A case on one set of inputs: its own, or those of a trial. */
struct osw_variant {
    struct osw_place place; /* a slice of the judge's memory */
    struct osw_inputs inputs;
};

struct osw_small_case {
    struct osw_eval run;
    bool *settled; /* [n_impls] cells that have their verdict */
    bool *wrong;   /* [n_impls] not all is well, in the arena */
    bool failed;   /* all are to be judged alone */
    uint32_t first_slice;
    uint32_t n_variants; /* calls of an implementation: one more */
    struct osw_variant variants[OSW_BATCH_VARIANTS];
    struct osw_layout layout;
};

/* Cases that go through together.  Step i of a message has slice i. */
struct osw_batch {
    struct osw_judge *judge;
    struct osw_batch *all; /* [OSW_JUDGE_BATCHES] of which it is one */
    osw_arena_t *memory;
    struct osw_small_case *cases; /* [OSW_BATCH_CASES] */
    uint32_t n;
    uint32_t n_steps;              /* calls of an implementation, all cases */
    uint64_t slot;                 /* bytes of a slice, and of a place */
    uint64_t from;                 /* of its places, in the judge's maps */
    struct osw_sandbox_id sandbox; /* that has been asked */
    uint32_t asked;                /* steps of that message */
    uint32_t n_args;               /* most of a case: for its answers */
    bool half;                     /* of the window, where slices of it lie */
    struct osw_writer message;     /* to the implementation, written ahead */
    struct osw_record spent;       /* phases, of all cases */
};

/* How many of the bundles, from the first on, may go together; < 2: none. */
uint32_t osw_batch_count(const struct osw_judge *judge,
                         const struct osw_bundle *bundles, uint32_t n);

/* Take as many of the bundles, from `from` on, as fit.  Returns how many are
 * done with, also those that are not for a batch.
 */
uint32_t osw_batch_gather(struct osw_batch *batch,
                          const struct osw_bundle *bundles, uint32_t from,
                          uint32_t n, bool **settled);

/* Make the inputs of all cases, those of trials too. */
void osw_batch_fill(struct osw_batch *batch);

#endif /* OSW_WORKER_JUDGE_BATCH_CASES_H */
