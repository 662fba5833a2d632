/* worker/judge/contract.h - does a file keep the op contract?
 *
 * Beyond verdicts: which symbols it exports, and whether <op>_meta declares
 * from descriptors alone what a run then really makes.
 */
#ifndef OSW_WORKER_JUDGE_CONTRACT_H
#define OSW_WORKER_JUDGE_CONTRACT_H

#include "worker/judge/judge.h"

/* As osw_worker_contract. */
int osw_judge_contract(struct osw_judge *judge, const struct osw_bundle *bundle,
                       const char *impl, struct osw_contract *out,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_CONTRACT_H */
