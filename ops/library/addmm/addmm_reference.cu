/* ops/library/addmm/addmm_reference.cu - out = beta * self + alpha * mat1 @
 * mat2, in double
 */
#include "../shared/product_reference.cuh"

extern "C" int addmm_meta(const osw_call *call)
{
    struct osw_product p;

    return osw_product_open_addmm(call, &p);
}

extern "C" int addmm_reference(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_addmm(call, &p);

    return rc ? rc : osw_product_reference(call, &p);
}
