/* worker/judge/compare/product.h - a matrix product judged without computing it
 *
 * Which arguments of the case are the factors stands in op.json; how they are
 * held against the result is Freivalds' method (freivalds.h).
 */
#ifndef OSW_WORKER_JUDGE_PRODUCT_H
#define OSW_WORKER_JUDGE_PRODUCT_H

#include "ops/catalog/op.h"
#include "worker/judge/inputs/trial.h"

struct osw_product_answer {
    bool applies; /* the method could decide; else text says why not */
    bool right;
    bool nan;          /* the first bad element is none that integers give */
    int64_t n_elem;    /* of the result */
    int64_t first_bad; /* row-major index; -1: none */
    char text[256];
};

/* Does `got` hold plus + a @ b of the trial's inputs? */
void osw_product_check(const struct osw_op *op, const struct osw_trial *trial,
                       const struct osw_view *got,
                       struct osw_product_answer *out);

#endif /* OSW_WORKER_JUDGE_PRODUCT_H */
