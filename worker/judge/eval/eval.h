/* worker/judge/eval/eval.h - the evaluation of a bundle: all cells of one case
 *
 * The files in the order of a cell's life: bundle.c (one case, or batch.c: many
 * small ones), expected.c (inputs and expected outputs), rounds.c (the table of
 * rounds), exec.c (calls), look.c (checks of memory), verdict.c (findings to
 * states).
 */
#ifndef OSW_WORKER_JUDGE_EVAL_H
#define OSW_WORKER_JUDGE_EVAL_H

#include "ops/catalog/op_collective.h"
#include "worker/judge/eval/appeal.h"
#include "worker/judge/eval/exec.h"
#include "worker/judge/eval/oracle.h"
#include "worker/judge/gang/agree.h"
#include "worker/judge/gang/world.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/judge.h"

/* Facts about an implementation that are kept from one round to the next. */
struct osw_known {
    uint64_t hash; /* of its last outputs; 0: none yet */
    double error;  /* the largest of these; 0 or NaN: none is known */
    bool doubtful; /* wrong, but perhaps only by precision */
    bool varies;   /* wrong, and the same call again gave other outputs */
    double rms;    /* of its errors in the case's own inputs */
};

struct osw_eval {
    struct osw_judge *judge;
    const struct osw_bundle *bundle;
    osw_arena_t *memory;
    struct osw_inputs own;    /* the case's own inputs */
    struct osw_inputs *other; /* of the current round; NULL: the case's own */
    enum osw_check check;
    struct osw_record shared; /* phases that all cells share */
    enum osw_state stopped;   /* no cell can be judged, for this reason */
    const char *why;
    const char *oracle_name;
    struct osw_agree agree; /* with the other judges of a gang */
    struct osw_world world; /* of a collective op, once its inputs are made */
    struct osw_sandbox_id *members; /* [n_impls] that joined the gang */
    uint64_t gang_random;           /* the same in all members */
    struct osw_bandwidth bandwidth; /* of a collective op's case */
    struct osw_record *records;     /* [n_impls] */
    struct osw_known *known;        /* [n_impls] */
    int64_t *own_ns;                /* [n_impls] */
    const char *baseline_name; /* of run->baseline; NULL: there is none yet */
    struct osw_known outside;  /* of a baseline that is no cell here */
    uint32_t n_outside;        /* of the list that were tried as such */
    uint64_t case_id;
    uint32_t *order;   /* [n_impls] cells: the baselines by their rank, then the
                          others */
    uint32_t from, to; /* of `order`: the current group */
    bool large;        /* not for the window, whatever its inputs are */
    bool image_is_own; /* no trial's inputs lie where the case's own did */
    struct osw_sandbox_id reference, baseline;
    int64_t deadline_ns;                 /* of the reference */
    struct osw_appeal_reference appeals; /* by this reference */
};

/* Begin it: judge, bundle and memory are set, all else is zero; the op is
 * loaded if need be.  0, or -1 with err.
 */
int osw_eval_begin(struct osw_eval *run, struct osw_error *err) OSW_MUST_CHECK;

/* No cell can be judged, for that reason. */
void osw_eval_stop(struct osw_eval *run, enum osw_state state, const char *why);

/* The reference's sandbox, and the one of the baseline; NULL: there is none, or
 * it ended.
 */
struct osw_sandbox *osw_eval_reference(const struct osw_eval *run);
struct osw_sandbox *osw_eval_baseline(const struct osw_eval *run);

/* Of an implementation, for osw_judge_sandbox(); SIZE_MAX: there is none. */
size_t osw_eval_impl_index(const struct osw_op *op, const char *name);

/* Of what stands in for the reference, likewise.  What lies in the host's
 * memory is for the reference in host code, if there is one: that spares the
 * device two changes between processes.
 */
size_t osw_eval_reference_index(const struct osw_eval *run);

/* The inputs that the reference gets with these: those of all ranks in a
 * collective op.
 */
struct osw_trial *osw_eval_reference_trial(struct osw_eval *run,
                                           struct osw_inputs *inputs);

/* What is asked of the reference on a set of inputs. */
struct osw_oracle_job osw_eval_oracle_job(struct osw_eval *run,
                                          struct osw_inputs *inputs,
                                          struct osw_sandbox *sandbox);

/* Calls of an implementation; their phases' times go to *record. */
struct osw_exec osw_eval_exec(struct osw_eval *run, struct osw_record *record);

/* Nanoseconds that one call of an implementation may take (deadline.h), once
 * the reference has run or failed.
 */
int64_t osw_eval_call_deadline(const struct osw_eval *run);

bool osw_eval_wants_time(const struct osw_eval *run);

/* Are case and reference quick enough for trials; and for looks at timed calls,
 * which may take a quarter of the time that the profile has for timing?
 */
bool osw_eval_affords_trials(const struct osw_eval *run);
/* The plan affords them, and the reference's measured call does not. */
bool osw_eval_reference_is_slow(const struct osw_eval *run);
bool osw_eval_affords_verifying(const struct osw_eval *run);

/* The fills of a trial; NULL when they are those of the case.  The trial offset
 * has two turns (0, 1): it shifts one tensor, and then another one.
 */
enum { OSW_TRIAL_TURNS = 2 };
const struct osw_fill *osw_eval_trial_fills(struct osw_eval *run,
                                            enum osw_trial_kind kind,
                                            unsigned turn);

static inline unsigned osw_eval_turns(enum osw_trial_kind kind)
{
    return kind == OSW_TRIAL_OFFSET ? OSW_TRIAL_TURNS : 1;
}

/* Is any output not an argument written in place? */
bool osw_eval_has_new_outputs(const struct osw_oracle_result *want);

/* The implementation's own count of bytes and operations is used only where
 * neither the reference nor op.json has one: rates and the roofline use it.
 */
void osw_eval_keep_work(const struct osw_result *result, struct osw_record *r);

/* Do outputs have the shapes that they had on the case's own inputs? */
bool osw_eval_same_shapes(const struct osw_oracle_result *a,
                          const struct osw_oracle_result *b);

/* With the expected outputs at hand: how they are compared, and whether
 * trivial ones would pass too.
 */
void osw_eval_look_for_weakness(struct osw_eval *run);

/* Which trivial outputs would pass on those inputs, as a message; NULL: none.
 */
const char *osw_eval_weakness(struct osw_eval *run,
                              const struct osw_inputs *inputs);

/* The records of all cells before judging, and one after it; each has an equal
 * share of run->shared.
 */
void osw_eval_begin_records(struct osw_eval *run);
void osw_eval_finish_record(const struct osw_eval *run, int64_t own_ns,
                            struct osw_record *record);

/* rms of errors of the best baseline that was judged; NaN: none was. */
double osw_eval_baseline_rms(const struct osw_eval *run);

#endif /* OSW_WORKER_JUDGE_EVAL_H */
