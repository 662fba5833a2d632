/* worker/judge/compare/freivalds.h - is C = plus + A @ B?  Without a second
 * product
 *
 * Freivalds' method on matrices of integers: for a random vector x, C @ x and
 * plus @ x + A @ (B @ x) are compared exactly.  All sums are integers below
 * 2^53, proven from the largest entries beforehand, so that doubles hold them
 * exactly in any order; and every element of C is looked at by itself too.
 *
 * A row of C that differs in any element passes with one vector with a
 * probability of at most 1 / n, for x uniform over n integers: all but
 * one value of the x_j of that element give another sum.  n is taken as large
 * as 2^53 allows (2^21 + 1 at most), and vectors are added until the
 * probability is 2^-20 or less: nearly always, one is enough.  Cost: each
 * matrix is read once, or twice, and a multiply-add per element.
 *
 * A row that does not agree is computed exactly.  It counts as right if it is
 * the correctly rounded exact result, which the dtype cannot hold.
 */
#ifndef OSW_WORKER_JUDGE_FREIVALDS_H
#define OSW_WORKER_JUDGE_FREIVALDS_H

#include "common/error.h"
#include "worker/judge/compare/matmul.h"

enum osw_freivalds_answer {
    OSW_FREIVALDS_RIGHT,
    OSW_FREIVALDS_WRONG,
    OSW_FREIVALDS_NOT_APPLICABLE, /* `why` says what stands in the way */
};

struct osw_freivalds {
    enum osw_freivalds_answer answer;
    const char *why;        /* static; "" unless NOT_APPLICABLE */
    int64_t n_rows;         /* rows of c checked, all batches */
    int64_t n_rounded_rows; /* of them computed exactly, as they had to be
                               rounded */
    int n_vectors;
    double miss;       /* bound on the probability that a wrong row passes */
    int64_t bad_index; /* first bad element of the first bad row, row-major in
                          c; -1: none */
    double expected, got; /* there; expected is not rounded */
};

/* Returns 0, or -1 with err set: OSW_NO_MEMORY. */
int osw_freivalds_check(const struct osw_matmul *p, struct osw_freivalds *out,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_WORKER_JUDGE_FREIVALDS_H */
