/* avg_pool2d - the mean of each window, by oneDNN */
#include "../shared/pool_onednn.h"

int avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {.like_input = 1};
    int rc = osw_pool_open_avg(call, &p);

    return rc ? rc
              : osw_onednn_pool(call, &p, osw_onednn_make_pool, DNNL_ARG_SRC,
                                DNNL_ARG_DST);
}
