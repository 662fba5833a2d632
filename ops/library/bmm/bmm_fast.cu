/* ops/library/bmm/bmm_fast.cu - out[i] = self[i] @ mat2[i]: 16-bit types on
 * tensor cores, f32 in f32 arithmetic
 */
#include "../shared/product_fast.cuh"

extern "C" int bmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_product_fast(call, &p);
}
