/* triu - matrices, 0 below a diagonal: each row copied from there on, the rest
 * cleared
 */
#include "../shared/triangle_plain.h"

int triu_kernel_impl(const osw_call *call)
{
    return osw_triangle_plain(call, OSW_TRIANGLE_UPPER);
}
