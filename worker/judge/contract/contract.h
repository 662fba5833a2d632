/* worker/judge/contract/contract.h - does a file keep the op contract?
 *
 * Beyond verdicts: which symbols it exports, and the sub-tests that say of code
 * outside torch what torch.library.opcheck says of torch's own (contract.c); of
 * operators registered with torch opcheck itself (opcheck.c: each sub-test runs
 * in a sandbox, as an implementation that returns words).  What is asked of
 * them is in worker.h; here is what they share.
 */
#ifndef OSW_WORKER_JUDGE_CONTRACT_H
#define OSW_WORKER_JUDGE_CONTRACT_H

#include "worker/judge/eval/oracle.h"
#include "worker/judge/judge.h"

/* Load the bundle's op, lay out its case where it fits and fill it; what the
 * case before had is gone.  0, or -1 with err as osw_worker_contract.
 */
int osw_judge_begin_trial(struct osw_judge *judge,
                          const struct osw_bundle *bundle,
                          struct osw_trial *out,
                          struct osw_error *err) OSW_MUST_CHECK;

/* One call of the file in that sandbox, as if it were the reference. */
struct osw_oracle_job osw_contract_job(struct osw_judge *judge,
                                       struct osw_sandbox *sandbox,
                                       struct osw_trial *trial,
                                       int64_t deadline_ns);

/* What oracle.h says of "the reference", of another file. */
const char *osw_contract_words(const char *text);

#endif /* OSW_WORKER_JUDGE_CONTRACT_H */
