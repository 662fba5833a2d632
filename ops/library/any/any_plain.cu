/* ops/library/any/any_plain.cu - is any element not 0?  An element per thread
 */
#define FOUND(v) ((v) != 0)
#include "find_plain.cuh"

extern "C" int any_kernel_impl(const osw_call *call)
{
    return find_any(call, 1);
}
