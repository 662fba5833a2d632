/* upsample_nearest2d_backward.vec - sums over copies, by oneDNN */
#include "../shared/nearest_onednn.h"

int upsample_nearest2d_backward__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open_backward(call, &r);

    return rc ? rc
              : osw_onednn_nearest(call, &r, osw_onednn_make_nearest_backward,
                                   DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST);
}
