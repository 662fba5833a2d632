/* ops/library/bmm/bmm_blocked.c - out[i] = self[i] @ mat2[i], in tiles of float
 */
#include "../shared/product_blocked.h"

int bmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_product_blocked(call, &p);
}
