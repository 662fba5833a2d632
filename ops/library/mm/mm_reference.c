/* ops/library/mm/mm_reference.c - out = self @ mat2, in double */
#include "../shared/product_reference.h"

int mm_meta(const osw_call *call)
{
    struct osw_product p;

    return osw_product_open_mm(call, &p);
}

int mm_reference(const osw_call *call)
{
    struct osw_product p;
    int rc = osw_product_open_mm(call, &p);

    return rc ? rc : osw_product_reference(call, &p);
}
