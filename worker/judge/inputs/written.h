/* worker/judge/inputs/written.h - written arguments that a reference leaves out
 *
 * The schema says which arguments an op writes.  What a reference writes there
 * is an output, also if it declares nothing: code that declares it is right.
 *
 * Upstream: a reference's result.  Downstream: eval/oracle.c.
 */
#ifndef OSW_WORKER_JUDGE_WRITTEN_H
#define OSW_WORKER_JUDGE_WRITTEN_H

#include "common/arena.h"
#include "ops/notation/schema.h"
#include "worker/judge/inputs/trial.h"
#include "worker/protocol.h"

struct osw_written_job {
    const struct osw_schema *schema; /* NULL: there is none */
    const struct osw_trial *trial;
    size_t from_arg, n_args; /* those of the trial that the code gets */
};

/* An output, and whether the reference did not declare it. */
struct osw_written_output {
    struct osw_output output;
    bool added;
};

/* Outputs of a reference: those of its result in their order, and each tensor
 * that may be written and is none of them.  A returned one stands at its place
 * among the returns, another one by the order of arguments.  Sets *n; NULL: no
 * memory.  Lives in the arena.
 */
struct osw_written_output *osw_written_list(osw_arena_t *memory,
                                            const struct osw_written_job *job,
                                            const struct osw_result *result,
                                            uint32_t *n);

/* Take those out again that were added and do not count.  They count if the
 * call changed any of them, if the reference has no other output, or if it
 * declares one of those that the schema does not return; else the op does not
 * write them on these inputs.  `zone` is what the call left, `scratch` has room
 * for the largest of them.
 */
void osw_written_settle(const struct osw_written_job *job,
                        struct osw_written_output *all, uint32_t *n,
                        const unsigned char *zone, unsigned char *scratch);

/* Is an output new memory where the schema returns a written argument?  False:
 * none is.  True: *output, and *arg of the schema.
 */
bool osw_written_missing(const struct osw_written_job *job,
                         const struct osw_result *result, uint32_t *output,
                         uint32_t *arg);

#endif /* OSW_WORKER_JUDGE_WRITTEN_H */
