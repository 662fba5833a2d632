/* worker/judge/batch/batch_rest.h - cells that a batch did not settle */
#ifndef OSW_WORKER_JUDGE_BATCH_REST_H
#define OSW_WORKER_JUDGE_BATCH_REST_H

#include "worker/judge/judge.h"

/* Judge the cells of n bundles that are not settled, each bundle by itself.
 * As osw_worker_run.
 */
int osw_batch_rest(struct osw_judge *judge, const struct osw_bundle *bundles,
                   uint32_t n, bool **settled,
                   void (*emit)(void *arg, const struct osw_record *record),
                   void *arg, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_BATCH_REST_H */
