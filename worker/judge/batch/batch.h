/* worker/judge/batch/batch.h - small cases of one op, many at a time
 *
 * What a small case costs is waiting: for processes to take turns, and for a
 * device to finish.  Here a sandbox gets the calls of many cases in one
 * message, and the reference works on the next ones meanwhile.
 *
 * A batch only ever decides that all is well (pass, weak, unsupported).  An
 * implementation of which anything else shows is judged by itself from that
 * case on, as if there were no batches: in the same process, if it lives, so
 * that what it kept of other cases shows, and then in a fresh one (retry.h).
 */
#ifndef OSW_WORKER_JUDGE_BATCH_H
#define OSW_WORKER_JUDGE_BATCH_H

#include "worker/judge/judge.h"

/* Judge so many bundles.  As osw_worker_run. */
int osw_batch_run(struct osw_judge *judge, const struct osw_bundle *bundles,
                  uint32_t n,
                  void (*emit)(void *arg, const struct osw_record *record),
                  void *arg, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_BATCH_H */
