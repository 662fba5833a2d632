/* worker/judge/contract/subject.h - a file while its contract is checked
 *
 * Upstream: contract.c loads and calls it, subtests.c asks.
 */
#ifndef OSW_WORKER_JUDGE_SUBJECT_H
#define OSW_WORKER_JUDGE_SUBJECT_H

#include "worker/judge/eval/oracle.h"
#include "worker/judge/judge.h"
#include "worker/subtest.h"

#define OSW_SUBJECT_DEADLINE_NS INT64_C(30000000000)

/* One file, and the cases that it is tried on. */
struct osw_subject {
    struct osw_judge *judge;
    struct osw_sandbox *sandbox; /* NULL: it could not be loaded again */
    size_t index;                /* of the file */
    bool reference, has_other;
    bool is_filled; /* calls take the inputs as they are */
    struct osw_trial given, other;
    struct osw_oracle_result real; /* of the given case's first call; values
                                      only until the next */
    struct osw_contract *out;
};

/* What one call came to. */
struct osw_subject_made {
    bool ran;
    bool comparable; /* its bits are all defined */
    uint64_t bits;
    char text[512]; /* why it did not run */
};

/* The outcome of one sub-test, with words. */
void osw_subject_settle(struct osw_subject *s, enum osw_subtest_id id,
                        enum osw_subtest_state outcome, const char *fmt, ...)
    OSW_PRINTF(4, 5);

struct osw_oracle_job osw_subject_job(const struct osw_subject *s,
                                      struct osw_trial *trial);

/* Hash of all outputs, as the judge has them. */
void osw_subject_bits(const struct osw_place *place,
                      const struct osw_oracle_result *r,
                      struct osw_subject_made *out);

/* One call of the case, its inputs as new. */
void osw_subject_call(struct osw_subject *s, struct osw_trial *t,
                      struct osw_oracle_result *result,
                      struct osw_subject_made *out);

/* A process that has run nothing. */
void osw_subject_load_fresh(struct osw_subject *s);

/* Every sub-test, each in a new process where the one before ended it. */
void osw_subtests_run(struct osw_subject *s);

#endif /* OSW_WORKER_JUDGE_SUBJECT_H */
