/* ops/library/addmm/addmm_cublaslt.cu - out = beta * self + alpha * mat1 @
 * mat2, by cuBLASLt
 */
#include "../shared/product_cublaslt.cuh"

extern "C" int addmm_prepare(const osw_call *call, void **state)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_lt_prepare(call, &p, state);
}

extern "C" void addmm_finish(void *state)
{
    osw_lt_finish(state);
}

extern "C" int addmm_kernel_impl(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_product_cublaslt(call, &p);
}
