/* worker/judge/contract/contract.h - does a file keep the op contract?
 *
 * Beyond verdicts: which symbols it exports, and the sub-tests that say of code
 * outside torch what torch.library.opcheck says of torch's own.
 */
#ifndef OSW_WORKER_JUDGE_CONTRACT_H
#define OSW_WORKER_JUDGE_CONTRACT_H

#include "worker/judge/inputs/trial.h"
#include "worker/judge/judge.h"

/* As osw_worker_contract. */
int osw_judge_contract(struct osw_judge *judge, const struct osw_bundle *bundle,
                       const struct osw_bundle *other, const char *impl,
                       struct osw_contract *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* As osw_worker_supports. */
int osw_judge_supports(struct osw_judge *judge, const struct osw_bundle *bundle,
                       bool *supported, struct osw_error *err) OSW_MUST_CHECK;

/* Load the bundle's op, lay out its case where it fits and fill it; what the
 * case before had is gone.  0, or -1 with err as osw_worker_contract.
 */
int osw_judge_begin_trial(struct osw_judge *judge,
                          const struct osw_bundle *bundle,
                          struct osw_trial *out,
                          struct osw_error *err) OSW_MUST_CHECK;

/* What oracle.h says of "the reference", of another file. */
const char *osw_contract_words(const char *text);

#endif /* OSW_WORKER_JUDGE_CONTRACT_H */
