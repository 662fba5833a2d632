/* ops/library/slice_backward/slice_backward_fast.cu - grad_output and the
 * zeros around it, in one go
 */
#include "../shared/copying.cuh"
#include "../shared/part_backward.h"

/* Zeros between the rows, too: all are cleared first. */
static int with_gaps(const osw_call *call, const struct osw_part *p)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    struct osw_boxes list;
    int rc;

    osw_boxes_clear(&list, p->out->dtype, 0.0);
    rc = osw_boxes_add(&list, p->out, NULL, stream);
    if (!rc)
        rc = osw_boxes_launch(&list, stream);
    return rc ? rc : osw_copy_same(call, &p->place.t, p->grad);
}

extern "C" int slice_backward_kernel_impl(const osw_call *call)
{
    struct osw_part p = {};
    int rc = osw_part_open_slice(call, &p);

    if (rc)
        return rc;
    if (osw_arg_int(call, 5, 1) != 1)
        return with_gaps(call, &p);
    return osw_copy_embed(call, p.out, &p.place, p.place.shape, p.grad,
                          osw_element_of(p.out->dtype, 0.0));
}
