/* ops/library/select_backward/select_backward_fast.cu - grad_output and the
 * zeros around it, in one go
 */
#include "../shared/copying.cuh"
#include "../shared/part_backward.h"

extern "C" int select_backward_kernel_impl(const osw_call *call)
{
    struct osw_part p = {};
    int rc = osw_part_open_select(call, &p);
    int64_t length[OSW_RULE_DIMS];
    int32_t dim;

    if (rc)
        return rc;
    dim = osw_view_dim(osw_arg_int(call, 2, 0), p.out->ndim);
    for (int32_t d = 0; d < p.out->ndim; d++)
        length[d] = d == dim ? 1 : p.out->shape[d];
    return osw_copy_embed(call, p.out, &p.place, length, p.grad,
                          osw_element_of(p.out->dtype, 0.0));
}
