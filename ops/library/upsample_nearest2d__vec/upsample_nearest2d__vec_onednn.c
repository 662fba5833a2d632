/* upsample_nearest2d.vec - each element is a copy, by oneDNN */
#include "../shared/nearest_onednn.h"

int upsample_nearest2d__vec_kernel_impl(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open(call, &r);

    return rc ? rc
              : osw_onednn_nearest(call, &r, osw_onednn_make_nearest,
                                   DNNL_ARG_SRC, DNNL_ARG_DST);
}
