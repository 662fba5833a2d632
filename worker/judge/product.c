#include "worker/judge/product.h"
void osw_product_check(const struct osw_op *op, const struct osw_trial *trial,
                       const struct osw_view *got,
                       struct osw_product_answer *out)
{
    (void)op;
    (void)trial;
    (void)got;
    *out = (struct osw_product_answer){.first_bad = -1};
}
