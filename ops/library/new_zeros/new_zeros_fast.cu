/* new_zeros - zeros of any size */
#include "../shared/copying.cuh"
#include "declare.h"

extern "C" int new_zeros_kernel_impl(const osw_call *call)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    struct osw_boxes list;
    int rc;
    osw_tensor *out = declare(call, &rc);

    if (!out)
        return rc;
    osw_boxes_clear(&list, out->dtype, 0.0);
    rc = osw_boxes_add(&list, out, NULL, stream);
    return rc ? rc : osw_boxes_launch(&list, stream);
}
