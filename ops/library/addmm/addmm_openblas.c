/* ops/library/addmm/addmm_openblas.c - out = beta * self + alpha * mat1 @ mat2,
 * by OpenBLAS */
#include "../shared/product_openblas.h"

int addmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_product_openblas(call, &p);
}
