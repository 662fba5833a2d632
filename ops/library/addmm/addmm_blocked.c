/* ops/library/addmm/addmm_blocked.c - out = beta * self + alpha * mat1 @ mat2,
 * in tiles of float */
#include "../shared/product_blocked.h"

int addmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_product_blocked(call, &p);
}
