/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_plain.cu
 * - all scores, the softmax of each query, the sums of values, in float
 */
#include "../shared/attention_passes.cuh"

extern "C" int scaled_dot_product_attention_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);

    if (rc || a.dtype.bits > 32)
        return rc ? rc : OSW_UNSUPPORTED;
    return osw_attention_passes<float, osw_attention_rounded>(call, &a, a.out);
}
