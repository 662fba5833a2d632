/* ops/library/bmm/bmm_openblas.c - out[i] = self[i] @ mat2[i], by OpenBLAS */
#include "../shared/product_openblas.h"

int bmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_product_openblas(call, &p);
}
