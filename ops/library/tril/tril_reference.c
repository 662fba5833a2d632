/* tril - matrices, 0 above a diagonal */
#include "../shared/triangle_reference.h"

int tril_meta(const osw_call *call)
{
    return osw_triangle_meta(call, OSW_TRIANGLE_LOWER);
}

int tril_reference(const osw_call *call)
{
    return osw_triangle_reference(call, OSW_TRIANGLE_LOWER);
}
