/* _scaled_dot_product_flash_attention_for_cpu - all scores, the softmax of each
 * query, the sums of values, in float
 */
#include "../shared/attention_passes.cuh"

extern "C" int
_scaled_dot_product_flash_attention_for_cpu_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    osw_tensor *lse = NULL;
    int rc = osw_attention_open_cpu(call, &a, &lse);

    if (rc || a.dtype.bits > 32)
        return rc ? rc : OSW_UNSUPPORTED;
    return osw_attention_passes<float, osw_attention_rounded>(
        call, &a, a.out, (float *)osw_data(lse));
}
