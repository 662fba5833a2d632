/* avg_pool2d_backward - the gradient of means of windows, by oneDNN */
#include "../shared/pool_onednn.h"

int avg_pool2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {.like_input = 1};
    int rc = osw_pool_open_avg_backward(call, &p);

    return rc ? rc
              : osw_onednn_pool(call, &p, osw_onednn_make_pool_backward,
                                DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST);
}
