/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_plain.cu -
 * all scores, the softmax of each query, the sums of values, in float
 */
#include "../shared/attention_passes.cuh"

struct rounded {
    typedef struct osw_heads to; /* contiguous */

    static __device__ void put(const struct osw_heads &out, int64_t at, float v)
    {
        osw_store(out.dtype, out.data + at * (out.dtype.bits / 8), v);
    }
};

extern "C" int scaled_dot_product_attention_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);

    if (rc || a.dtype.bits > 32)
        return rc ? rc : OSW_UNSUPPORTED;
    return osw_attention_passes<float, rounded>(call, &a, a.out);
}
