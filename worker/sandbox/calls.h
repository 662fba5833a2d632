/* worker/sandbox/calls.h - op code is called, once or timed
 *
 * A call's results are in session->result, the first error message in
 * session->text.  Upstream: loop.c.  Downstream: hosts, the device.
 */
#ifndef OSW_WORKER_SANDBOX_CALLS_H
#define OSW_WORKER_SANDBOX_CALLS_H

#include "worker/sandbox/session.h"

/* The first call on a case, with its prepare; and the same again. */
void osw_calls_first(struct osw_session *s);
void osw_calls_again(struct osw_session *s);

/* Only the shapes (<op>_meta); the values of a case that a generator makes. */
void osw_calls_meta(struct osw_session *s);
void osw_calls_draw(struct osw_session *s);

/* One call; after it on the stream its hash into `slot` and the copy of its
 * outputs.  Does not wait.  `again`: the case was prepared.
 */
void osw_calls_step(struct osw_session *s, uint32_t slot, bool again);

/* Timed calls: everything of *out but its text. */
void osw_calls_time(struct osw_session *s, const struct osw_time_request *ask,
                    struct osw_time_reply *out);

/* Set result.hash to the hash of the outputs after the last timed call. */
void osw_calls_hash(struct osw_session *s);

#endif /* OSW_WORKER_SANDBOX_CALLS_H */
