/* ops/library/bmm/bmm_wgmma.cu - out[i] = self[i] @ mat2[i], by
 * warpgroups on the tensor cores of Hopper
 */
#include "../shared/product_wgmma.cuh"

extern "C" int bmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_product_wgmma<false>(call, &p);
}
