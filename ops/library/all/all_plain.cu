/* all - is no element 0?  An element per thread */
#define FOUND(v) ((v) == 0)
#include "../any/find_plain.cuh"

extern "C" int all_kernel_impl(const osw_call *call)
{
    return find_any(call, 0);
}
