/* ops/library/bmm/bmm_onednn.c - out[i] = self[i] @ mat2[i], by oneDNN */
#include "../shared/product_onednn.h"

int bmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_onednn_product(call, &p);
}
