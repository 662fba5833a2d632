/* ops/library/addmm/addmm_wgmma.cu - out = beta * self + alpha * mat1 @ mat2,
 * by
 * warpgroups on the tensor cores of Hopper
 */
#include "../shared/product_wgmma.cuh"

extern "C" int addmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_product_wgmma<true>(call, &p);
}
