/* worker/judge/batch/batch_message.h - the calls of a batch, in one message
 *
 * Upstream: batch.c.  Downstream: process/sandbox.h.  A batch has one sandbox
 * at a time, which works on one message.
 */
#ifndef OSW_WORKER_JUDGE_BATCH_MESSAGE_H
#define OSW_WORKER_JUDGE_BATCH_MESSAGE_H

#include "worker/judge/batch/batch_cases.h"

/* A sandbox for file `index` of the op, kept while it works; NULL: none. */
struct osw_sandbox *osw_batch_take_sandbox(struct osw_batch *b, size_t index);

/* It; NULL: there is none, or it ended. */
struct osw_sandbox *osw_batch_sandbox_of(const struct osw_batch *b);

/* Done with it. */
void osw_batch_leave_sandbox(struct osw_batch *b);

/* The part of its window in which step `step` works. */
struct osw_zone_memory osw_batch_slice_of(const struct osw_batch *b,
                                          const struct osw_sandbox *sandbox,
                                          uint32_t step);

/* Write b->message: begin, then for each step its head and (unless it is the
 * case of the step before, `again`) a CASE, then the end of n steps.
 */
void osw_batch_begin_message(struct osw_batch *b);
void osw_batch_put_step(const struct osw_batch *b,
                        const struct osw_sandbox *sandbox, uint32_t step,
                        bool again, unsigned char pattern,
                        struct osw_writer *w);
void osw_batch_end_message(struct osw_batch *b, uint32_t n);

/* Send it to the sandbox that it was made for; if there are no steps, or they
 * did not fit, nothing.
 */
void osw_batch_send_message(struct osw_batch *b);

/* Wait for the results, in judge->results; false: there are none, whatever
 * happened, and the sandbox is gone.
 */
bool osw_batch_receive(struct osw_batch *b);

#endif /* OSW_WORKER_JUDGE_BATCH_MESSAGE_H */
