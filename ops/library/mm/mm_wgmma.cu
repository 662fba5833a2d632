/* ops/library/mm/mm_wgmma.cu - out = self @ mat2, by
 * warpgroups on the tensor cores of Hopper
 */
#include "../shared/product_wgmma.cuh"

extern "C" int mm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_product_wgmma<false>(call, &p);
}
