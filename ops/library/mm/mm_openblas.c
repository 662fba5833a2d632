/* ops/library/mm/mm_openblas.c - out = self @ mat2, by OpenBLAS */
#include "../shared/product_openblas.h"

int mm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_product_openblas(call, &p);
}
