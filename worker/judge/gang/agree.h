/* worker/judge/gang/agree.h - members of a gang go on by what all of them found
 *
 * The judges of a gang make the same calls at the same time, so none may go
 * another way than the others.  Wherever their ways could part they ask here:
 * each says what it found, and all get the same answer.  A judge that is alone
 * gets its own answer back at once.
 *
 * When an exchange fails, a member is lost.  All further answers are the ones
 * that end the evaluation soonest, and nothing of it is recorded.
 *
 * Upstream: judge/eval.  Downstream: worker/gang.h.
 */
#ifndef OSW_WORKER_JUDGE_AGREE_H
#define OSW_WORKER_JUDGE_AGREE_H

#include "common/arena.h"
#include "worker/gang.h"
#include "worker/judge/eval/findings.h"

/* What a member's last call came to: by it one member is chosen as the cause of
 * what went wrong.  Less is worse.
 */
struct osw_agree_claim {
    int32_t order;
    int16_t untouched, unsupported; /* as in osw_findings */
    int64_t at_ns; /* when it was found, on this node's clock; INT64_MAX:
                      after it knew that another member had ended */
};

struct osw_agree {
    const struct osw_gang *gang; /* NULL: this judge is alone */
    bool broken;                 /* a member is lost */
    struct osw_error err;        /* then: how */
    struct osw_agree_claim mine; /* since the last record */
};

/* Of a bundle's gang, or of none. */
struct osw_agree osw_agree_of(const struct osw_gang *gang);

enum osw_agreed { OSW_AGREED_NONE, OSW_AGREED_SOME, OSW_AGREED_ALL };

/* How many members say so?  A broken gang: none. */
enum osw_agreed osw_agree_on(struct osw_agree *a, bool mine);

static inline bool osw_agree_all(struct osw_agree *a, bool mine)
{
    return osw_agree_on(a, mine) == OSW_AGREED_ALL;
}

static inline bool osw_agree_any(struct osw_agree *a, bool mine)
{
    return osw_agree_on(a, mine) != OSW_AGREED_NONE;
}

/* This member ended or gave up outside of a judged call: what its claim is when
 * records are compared.
 */
void osw_agree_claim_end(struct osw_agree *a, const struct osw_findings *f);

/* Set f->all to the worst that a member found in this call.  A call that one
 * member does not support, and another one does, is an error of the first
 * one's.
 */
void osw_agree_findings(struct osw_agree *a, struct osw_findings *f);

/* If any member's record holds a bad verdict, all members get the record of the
 * one that caused it, with its rank in front of the reason; else each keeps its
 * own.  True: the verdict is bad.
 */
bool osw_agree_record(struct osw_agree *a, osw_arena_t *memory,
                      struct osw_record *r);

/* Raise the errors in a record to the largest of all members. */
void osw_agree_errors(struct osw_agree *a, struct osw_record *r);

/* Each value becomes the largest of all members; *spread (NULL: unwanted) how
 * much that is above the least one, on average.  False: the gang is broken.
 */
bool osw_agree_longest(struct osw_agree *a, float *values, size_t n,
                       double *spread);

/* Copy `bytes` of rank `from` to all members.  False: the gang is broken. */
bool osw_agree_share(struct osw_agree *a, uint32_t from, void *data,
                     size_t bytes);

#endif /* OSW_WORKER_JUDGE_AGREE_H */
