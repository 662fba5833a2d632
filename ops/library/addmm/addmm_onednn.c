/* ops/library/addmm/addmm_onednn.c - out = self + mat1 @ mat2, by oneDNN */
#include "../shared/product_onednn.h"

int addmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_onednn_product(call, &p);
}
