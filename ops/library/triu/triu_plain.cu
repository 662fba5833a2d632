/* triu - an element per thread, 0 below the diagonal */
#include "../shared/triangle_plain.cuh"

extern "C" int triu_kernel_impl(const osw_call *call)
{
    return osw_triangle_plain(call, OSW_TRIANGLE_UPPER);
}
