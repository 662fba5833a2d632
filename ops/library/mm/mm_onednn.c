/* ops/library/mm/mm_onednn.c - out = self @ mat2, by oneDNN */
#include "../shared/product_onednn.h"

int mm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_onednn_product(call, &p);
}
