/* tril - an element per thread, 0 above the diagonal */
#include "../shared/triangle_plain.cuh"

extern "C" int tril_kernel_impl(const osw_call *call)
{
    return osw_triangle_plain(call, OSW_TRIANGLE_LOWER);
}
