/* worker/judge/eval/exec.h - make calls of an implementation
 *
 * One call at a time in the sandbox's zone, or many in one message (STEPS),
 * each in its slice of the window.  Both lay the case out, bring inputs,
 * poison outputs, encode the request and decode the answer by the same
 * functions.
 *
 * Upstream: rounds.c and batch.c.  Downstream: process/sandbox.h; look.h for
 * what the calls left.
 */
#ifndef OSW_WORKER_JUDGE_EXEC_H
#define OSW_WORKER_JUDGE_EXEC_H

#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/look.h"
#include "worker/judge/judge.h"

/* Poison of outputs: another byte in each of two calls, so that an element that
 * was not written cannot match in both.  The first is NaN in every floating
 * dtype.  The second is a small number (f32: 0.0115): whatever is added to it
 * shows, so that an output that was added to is told from one that was left.
 */
#define OSW_POISON_A (OSW_CHECKS(POISON) ? 0xFF : 0)
#define OSW_POISON_B (OSW_CHECKS(POISON) ? 0x3C : 0)

/* The one for a round's first call: where NaN may be right, a number. */
#define OSW_POISON_OF(kind)                                                    \
    ((kind) == OSW_TRIAL_SPECIAL ? OSW_POISON_B : OSW_POISON_A)
#define OSW_POISON_OTHER(pattern)                                              \
    ((pattern) == OSW_POISON_B ? OSW_POISON_A : OSW_POISON_B)

/* Shared by all calls of a case. */
struct osw_exec {
    struct osw_judge *judge;
    osw_arena_t *memory;
    uint64_t case_id;          /* of the bundle, for sandbox->case_id */
    int64_t deadline_ns;       /* of one call */
    bool time;                 /* leave the sandbox ready to be timed */
    struct osw_record *record; /* phases' times are added to it */
};

struct osw_exec_call {
    const struct osw_inputs *inputs;
    struct osw_layout *layout;
    bool first; /* the arguments are sent, prepare runs */
    bool moved; /* then: they lie elsewhere than in the call before */
    bool bring; /* inputs come anew; else what was written in place is
                   put back */
    unsigned char pattern;
    uint32_t n_samples; /* timed calls; 0: one that is not timed */
    uint32_t n_inner;
    bool cold;
    bool blind; /* of timed calls: their outputs are not checked */
    /* Set by the call. */
    unsigned char *zone;
    const struct osw_result *result; /* borrowed until the sandbox's next */
};

/* Lay out a case, whatever it needs.  False: no memory. */
bool osw_exec_lay_out(osw_arena_t *memory, const struct osw_inputs *inputs,
                      struct osw_layout *out);

/* The next call on the same inputs, over that poison.  Everything lies
 * elsewhere in it: a pointer that was kept from an earlier call is of no use.
 */
struct osw_exec_call osw_exec_elsewhere(struct osw_sandbox *sandbox,
                                        unsigned char pattern);

/* Make one call; while an arena can grow, again with more workspace.  True:
 * it returned 0, and *call says where its outputs are.  False: *f says why not.
 */
bool osw_exec_run(const struct osw_exec *exec, struct osw_sandbox *sandbox,
                  struct osw_exec_call *call, struct osw_findings *f);

/* Find the outputs of timed calls: asks the sandbox, and sets call->zone and
 * call->result.  As osw_exec_run.
 */
bool osw_exec_look(const struct osw_exec *exec, struct osw_sandbox *sandbox,
                   struct osw_exec_call *call, struct osw_findings *f);

/* Do the outputs of the last call, which have `hash` in the judge's copy, still
 * change?  Waits 2 ms.
 */
bool osw_exec_still_changes(const struct osw_exec *exec,
                            struct osw_sandbox *sandbox,
                            const struct osw_look *look, uint64_t hash);

/* Does any output have gaps?  They hold the poison of the call, and so does the
 * hash.
 */
bool osw_exec_leaves_gaps(const struct osw_result *result);

/* The findings from the result message itself, before any memory is read. */
void osw_exec_read_result(const struct osw_result *result,
                          struct osw_findings *f);

/* --- many calls in one message --- */

/* Write inputs and poison of a call to its slice. */
void osw_exec_load_slice(struct osw_exec_call *call, unsigned char *slice);

/* The CASE of a call, for a message of steps; the sandbox's zone is set. */
void osw_exec_put_case(const struct osw_exec *exec, struct osw_sandbox *sandbox,
                       const struct osw_exec_call *call, struct osw_writer *w);

#endif /* OSW_WORKER_JUDGE_EXEC_H */
