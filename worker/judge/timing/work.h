/* worker/judge/timing/work.h - bytes that a call of a case moves
 *
 * Pure.  `<op>_work` of the reference decides, if there is one.  Else the bytes
 * read come from op.json (ops/cases/work.h); the bytes written are the outputs
 * of the reference, except views of arguments, and the arguments that it writes
 * in place.
 */
#ifndef OSW_WORKER_JUDGE_WORK_H
#define OSW_WORKER_JUDGE_WORK_H

#include "ops/catalog/op.h"
#include "worker/judge/eval/oracle.h"
#include "worker/judge/inputs/trial.h"

struct osw_work_bytes {
    double bytes; /* each once; as planned where outputs are not known */
    double least; /* a correct call moves at least these; NaN: no limit */
    double read;  /* the part of these that it reads; with least */
};

struct osw_work_bytes osw_work_bytes(const struct osw_op *op,
                                     const struct osw_trial *trial,
                                     const struct osw_oracle_result *oracle,
                                     double planned);

#endif /* OSW_WORKER_JUDGE_WORK_H */
