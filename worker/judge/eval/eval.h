/* worker/judge/eval/eval.h - one bundle before the judge: what all ways of
 * judging share
 *
 * bundle.c takes a case by itself, in rounds; batch.c small ones together.
 */
#ifndef OSW_WORKER_JUDGE_EVAL_H
#define OSW_WORKER_JUDGE_EVAL_H

#include "worker/judge/eval/appeal.h"
#include "worker/judge/eval/oracle.h"
#include "worker/judge/eval/verdict.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/judge.h"

struct osw_eval {
    struct osw_judge *judge;
    const struct osw_bundle *bundle;
    osw_arena_t *memory;
    struct osw_trial trial;
    struct osw_oracle_result oracle;
    enum osw_check check;
    const char *weak;
    struct osw_record shared; /* phases that all cells share */
    enum osw_state stopped;   /* no cell can be judged, for this reason */
    const char *why;
    const char *oracle_name;
    struct osw_record *records;       /* [n_impls] */
    struct osw_verdict_memory *known; /* [n_impls] */
    int64_t *own_ns;                  /* [n_impls] */
    const struct osw_trial *other;    /* of the second and fourth round */
    const struct osw_oracle_result *other_want;
    enum osw_trial_kind other_kind;
    const char *other_weak;            /* as weak, of these inputs */
    bool altered;                      /* in part only, behind timing */
    struct osw_verdict_memory outside; /* of a baseline that is no cell here */
    uint64_t case_id;
    uint32_t from, to; /* cells of the current group */
    bool large;        /* not for the window, whatever its inputs are */
    struct osw_sandbox *reference; /* NULL: none, or dead */
    struct osw_sandbox *baseline;  /* timed against; NULL: not there (yet) */
    int64_t deadline_ns;
    struct osw_appeal_reference appeals; /* by this reference */
};

/* Begin it: judge, bundle and memory are set, all else is zero; the op is
 * loaded if need be.  0, or -1 with err.
 */
int osw_eval_begin(struct osw_eval *run, struct osw_error *err) OSW_MUST_CHECK;

/* No cell can be judged, for that reason. */
void osw_eval_stop(struct osw_eval *run, enum osw_state state, const char *why);

/* Of an implementation, for osw_judge_sandbox(); SIZE_MAX: there is none. */
size_t osw_eval_impl_index(const struct osw_op *op, const char *name);

/* Of what stands in for the reference, likewise.  What lies in the host's
 * memory is for the reference in host code, if there is one: that spares the
 * device two changes between processes.
 */
size_t osw_eval_reference_index(const struct osw_eval *run);

/* What is asked of the reference, and of an implementation, on the case's own
 * inputs.
 */
struct osw_oracle_job osw_eval_oracle_job(struct osw_eval *run,
                                          struct osw_sandbox *sandbox);
struct osw_verdict_job osw_eval_verdict_job(struct osw_eval *run,
                                            struct osw_verdict_memory *known);

bool osw_eval_wants_time(const struct osw_eval *run);

/* Trials in their order: integers first, since they settle doubts; those of
 * the case's own kind last, so that they see stale results of the others.
 */
extern const enum osw_trial_kind osw_eval_trial_order[OSW_N_TRIALS];

/* Is the reference quick enough for them? */
bool osw_eval_affords_trials(const struct osw_eval *run);

/* The fills of a trial; NULL when they are those of the case. */
const struct osw_fill *osw_eval_trial_fills(struct osw_eval *run,
                                            enum osw_trial_kind kind);

/* Do outputs have the shapes that they had on the case's own inputs? */
bool osw_eval_same_shapes(const struct osw_oracle_result *a,
                          const struct osw_oracle_result *b);

/* With the expected outputs at hand: how they are compared, and whether
 * trivial ones would pass too.
 */
void osw_eval_look_for_weakness(struct osw_eval *run);

/* What trivial outputs would pass on those inputs, in words; NULL: none would.
 */
const char *osw_eval_weakness(struct osw_eval *run,
                              const struct osw_trial *trial,
                              const struct osw_oracle_result *want);

/* The records of all cells before judging, and one behind it; each has an equal
 * share of run->shared.
 */
void osw_eval_begin_records(struct osw_eval *run);
void osw_eval_finish_record(const struct osw_eval *run, int64_t own_ns,
                            struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_EVAL_H */
