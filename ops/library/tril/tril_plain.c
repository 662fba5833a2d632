/* tril - matrices, 0 above a diagonal: each row copied up to there, the rest
 * cleared
 */
#include "../shared/triangle_plain.h"

int tril_kernel_impl(const osw_call *call)
{
    return osw_triangle_plain(call, OSW_TRIANGLE_LOWER);
}
