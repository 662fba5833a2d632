/* ops/library/bmm/bmm_cublaslt.cu - out[i] = self[i] @ mat2[i], by cuBLASLt */
#include "../shared/product_cublaslt.cuh"

extern "C" int bmm_prepare(const osw_call *call, void **state)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_lt_prepare(call, &p, state);
}

extern "C" void bmm_finish(void *state)
{
    osw_lt_finish(state);
}

extern "C" int bmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_product_cublaslt(call, &p);
}
