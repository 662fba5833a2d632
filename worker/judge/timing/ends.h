/* worker/judge/timing/ends.h - how the timing of a cell ends without figures
 *
 * Each sets state, phase and reason of *record, in the job's memory.
 *
 * Upstream: blocks.h.  Downstream: measure.c, beside.c.
 */
#ifndef OSW_WORKER_JUDGE_ENDS_H
#define OSW_WORKER_JUDGE_ENDS_H

#include "worker/judge/timing/blocks.h"

/* A call failed, was wrong or ended its process: what the job has noted, or
 * what the sandbox says.  Where it is another member of a gang that counts, no
 * state.
 */
void osw_ends_failed(const struct osw_measure_job *job,
                     const struct osw_blocks *own, struct osw_record *record);

/* The judge's clock says that blocks took longer than they claim. */
void osw_ends_implausible(const struct osw_measure_job *job,
                          const struct osw_blocks *own,
                          struct osw_record *record);

/* Calls whose inputs are all new take longer than the median of the others, so
 * that these used earlier results.
 */
void osw_ends_keeping(const struct osw_measure_job *job,
                      const struct osw_blocks *own, double median_ns,
                      struct osw_record *record);

/* The judge's clock confirms too few blocks. */
void osw_ends_unconfirmed(const struct osw_measure_job *job,
                          const struct osw_blocks *own,
                          struct osw_record *record);

/* The machine is too busy to say; `reason` stays. */
void osw_ends_busy(const char *reason, struct osw_record *record);

/* It claims less than is possible `by` something: `of` is a kind of call. */
void osw_ends_claim(const struct osw_measure_job *job, const char *of,
                    double claim_ns, const char *by, double least_ns,
                    struct osw_record *record);

#endif /* OSW_WORKER_JUDGE_ENDS_H */
