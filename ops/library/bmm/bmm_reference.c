/* ops/library/bmm/bmm_reference.c - out[i] = self[i] @ mat2[i], in double */
#include "../shared/product_reference.h"

int bmm_meta(const osw_call *call)
{
    struct osw_product p;

    return osw_product_open_bmm(call, &p);
}

int bmm_reference(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_bmm(call, &p);

    return rc ? rc : osw_product_reference(call, &p);
}
