/* ops/library/mm/mm_fast.cu - out = self @ mat2: 16-bit types on tensor cores,
 * f32 in f32 arithmetic
 */
#include "../shared/product_fast.cuh"

extern "C" int mm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_product_fast(call, &p);
}
