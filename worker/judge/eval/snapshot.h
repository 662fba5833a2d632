/* worker/judge/eval/snapshot.h - the tensors of a cell, brought to the host
 *
 * Upstream: bundle.c, if there is a capture function.  Downstream: capture.h.
 */
#ifndef OSW_WORKER_JUDGE_SNAPSHOT_H
#define OSW_WORKER_JUDGE_SNAPSHOT_H

#include "worker/capture.h"
#include "worker/judge/eval/oracle.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/process/sandbox.h"

struct osw_snapshot_job {
    osw_capture_f capture;
    void *capture_arg;
    const struct osw_trial *trial;
    const struct osw_oracle_result *oracle;
    const struct osw_sandbox *sandbox; /* that ran it; NULL: none did */
    const char *impl;
    const struct osw_record *record; /* with its verdict */
};

/* Copy what there is - inputs once the case was made, expected outputs once
 * the reference ran, outputs unless the call ended badly - and hand it to
 * `capture`, which is called once.
 */
void osw_snapshot(const struct osw_snapshot_job *job);

#endif /* OSW_WORKER_JUDGE_SNAPSHOT_H */
