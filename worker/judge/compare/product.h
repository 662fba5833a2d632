/* worker/judge/compare/product.h - a matrix product judged without computing it
 *
 * Which arguments of the case are the factors stands in op.json.  They are held
 * against the result by Freivalds' method on small integers (freivalds.h), and
 * by residuals on real numbers (residual.h).
 */
#ifndef OSW_WORKER_JUDGE_PRODUCT_H
#define OSW_WORKER_JUDGE_PRODUCT_H

#include "ops/catalog/op.h"
#include "worker/judge/compare/tolerance.h"
#include "worker/judge/inputs/trial.h"

struct osw_product_answer {
    bool applies; /* the method could decide; else text says why not */
    bool right;
    bool coarse;       /* not right, by nothing but errors that are small */
    bool nan;          /* the first bad element is not finite */
    int64_t n_elem;    /* of the result */
    int64_t first_bad; /* row-major index; -1: none */
    double rms, tol;   /* of error over norm; NaN: on integers */
    double of_allowed; /* of the rms; NaN likewise */
    char text[256];
};

/* How many equal terms in a row does tensor i of the trial make in a sum?  An
 * expanded dimension counts if it is summed: of a product, the one that is; of
 * another op, one of a size that `out` does not have, or has less often than
 * the tensor.
 */
double osw_product_equal(const struct osw_op *op, const struct osw_trial *trial,
                         size_t i, const struct osw_tensor_desc *out);

/* Does `got` hold plus + a @ b of the trial's inputs?  hash: of got; random
 * vectors follow from it, so that no code knows them before it has the result.
 * allowed: the errors that it may have on real numbers; NULL: inputs are
 * integers, and there are none.
 */
void osw_product_check(const struct osw_op *op, const struct osw_trial *trial,
                       const struct osw_view *got, uint64_t hash,
                       const struct osw_tolerance_job *allowed,
                       struct osw_product_answer *out);

#endif /* OSW_WORKER_JUDGE_PRODUCT_H */
