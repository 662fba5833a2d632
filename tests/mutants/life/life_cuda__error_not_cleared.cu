/* life_cuda__error_not_cleared.cu - right, but leaves an error of another call
 *
 */
#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    int rc = scale_all(call);

    if (!rc)
        cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             1);
    return rc;
}
