/* shared/product_fast.cuh - the product by the kernel of its dtype */
#ifndef OSW_LIBRARY_PRODUCT_FAST_CUH
#define OSW_LIBRARY_PRODUCT_FAST_CUH

#include "product_ffma.cuh"
#include "product_tensor.cuh"

static inline int osw_product_fast(const osw_call *call,
                                   const struct osw_product *p)
{
    osw_dtype t = p->out->dtype;

    if (osw_numel(p->out) == 0)
        return 0;
    if (t.code == OSW_FLOAT && t.bits == 32)
        return osw_product_ffma(call, p);
    if (t.code == OSW_FLOAT && t.bits == 16)
        return osw_product_tensor<osw_f16>(call, p);
    if (t.code == OSW_BFLOAT && t.bits == 16)
        return osw_product_tensor<osw_bf16>(call, p);
    return OSW_UNSUPPORTED;
}

#endif /* OSW_LIBRARY_PRODUCT_FAST_CUH */
