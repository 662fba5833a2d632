/* gelu - by erf or its approximation by tanh, by oneDNN */
#include "../shared/elementwise_onednn.h"
#include "../shared/gelu.h"

int gelu_kernel_impl(const osw_call *call)
{
    struct osw_gelu g = {0};
    int rc = osw_gelu_open(call, &g, 0);

    if (rc)
        return rc;
    return osw_onednn_eltwise(
        call, g.x, g.out,
        g.tanh ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf, 0.0f, 0.0f);
}
