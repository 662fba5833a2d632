/* ops/library/mm/mm_blocked.c - out = self @ mat2, in tiles of float */
#include "../shared/product_blocked.h"

int mm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_product_blocked(call, &p);
}
