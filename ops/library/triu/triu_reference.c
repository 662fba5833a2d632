/* triu - matrices, 0 below a diagonal */
#include "../shared/triangle_reference.h"

int triu_meta(const osw_call *call)
{
    return osw_triangle_meta(call, OSW_TRIANGLE_UPPER);
}

int triu_reference(const osw_call *call)
{
    return osw_triangle_reference(call, OSW_TRIANGLE_UPPER);
}
