/* pack_shape__place_of_input.c - changes where the program has noted that its
 * output lies to where its input does
 */
#include "pack.h"

int pack_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;
    uint64_t *offset;

    if (!x || !osw_is_contiguous(x) || osw_numel(x) > PACK_UNTIMED)
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    /* It follows shape and strides, which have the same length. */
    offset = (uint64_t *)(uintptr_t)(y->strides + (y->strides - y->shape));
    *offset += (uint64_t)((char *)x->data - (char *)y->data);
    return 0;
}
