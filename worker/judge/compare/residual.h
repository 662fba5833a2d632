/* worker/judge/compare/residual.h - is C near plus + A @ B?  For inputs of any
 * value, without a second product
 *
 * The integers of freivalds.h are exact in any precision, so they do not show
 * how C was rounded.  Here the inputs are real: for a random vector x and the
 * errors e of a row, the residual C @ x - plus @ x - A @ (B @ x) of that row is
 * the sum of x_j e_j.  The x_j are independent of e, have random signs and
 * sizes in [1/2, 3/2), so that
 *
 *   the mean of its square is 13/12 of the sum of the e_j^2;
 *   one wrong element shows in it with at least half of its error;
 *   it exceeds t sqrt(sum e_j^2) with a probability below 2 exp(-t^2 / 5).
 *
 * The same is done with vectors from the left, whose residuals are those of
 * columns.  Four vectors each.  With s^2 = sum of the squared norms of a row's
 * elements, which one pass over A and B gives exactly, and T of tolerance.h:
 *
 *   value      a residual is above 12 T s
 *   precision  the rms of residual / (T s) over all rows and columns is above
 *              1 + 3 / sqrt(rows + columns); or a value is, in half of the rows
 *              and in half of the columns, by errors that are small
 *
 * Where op.json names a tolerance, T s grows by the norm of a row whose errors
 * are all as large as that allows.
 *
 * So these errors show: all elements off by T of their norm, which is what a
 * full comparison allows; one element off by 24 T sqrt(min(M, N)) of it.
 */
#ifndef OSW_WORKER_JUDGE_RESIDUAL_H
#define OSW_WORKER_JUDGE_RESIDUAL_H

#include "common/error.h"
#include "worker/judge/compare/matmul.h"
#include "worker/judge/compare/tolerance.h"

struct osw_residual {
    const char *why;      /* static; "": it could be judged */
    int64_t n_rows;       /* of c, and columns, all batches */
    int64_t n_bad;        /* rows and columns above 12 T */
    bool everywhere;      /* as many as of an arithmetic that is too coarse */
    double rms, allowed;  /* of error over norm, estimated */
    double of_allowed;    /* the rms of residual / (T s), over what it may be */
    int64_t bad_index;    /* worst element of the first bad row or column,
                             row-major in c; -1: none */
    double expected, got; /* there; expected is not rounded */
};

/* allowed: of c, by its dtype and inputs; number and norms of terms are those
 * of the product.  0, or -1 with err set: OSW_NO_MEMORY.
 */
int osw_residual_check(const struct osw_matmul *p,
                       const struct osw_tolerance_job *allowed,
                       struct osw_residual *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Is the rms of all errors more than rounding explains? */
static inline bool osw_residual_is_coarse(const struct osw_residual *r)
{
    return !(r->of_allowed <= 1);
}

#endif /* OSW_WORKER_JUDGE_RESIDUAL_H */
