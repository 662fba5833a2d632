/* worker/judge/contract/opcheck.h - what torch itself checks of a registered
 * operator
 *
 * Each sub-test runs in a sandbox of its own, as an implementation that returns
 * words: opsweep_opcheck.py.
 */
#ifndef OSW_WORKER_JUDGE_OPCHECK_H
#define OSW_WORKER_JUDGE_OPCHECK_H

#include "worker/judge/judge.h"

/* As osw_worker_opcheck. */
int osw_judge_opcheck(struct osw_judge *judge, const struct osw_bundle *bundle,
                      const char *impl, size_t i, struct osw_subtest *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_OPCHECK_H */
