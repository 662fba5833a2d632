/* ops/library/mm/mm_cublaslt.cu - out = self @ mat2, by cuBLASLt */
#include "../shared/product_cublaslt.cuh"

extern "C" int mm_prepare(const osw_call *call, void **state)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_lt_prepare(call, &p, state);
}

extern "C" void mm_finish(void *state)
{
    osw_lt_finish(state);
}

extern "C" int mm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_product_cublaslt(call, &p);
}
