/* hardswish - self * min(max(self + 3, 0), 6) / 6, by oneDNN */
#include "../shared/elementwise_onednn.h"

int hardswish_kernel_impl(const osw_call *call)
{
    return osw_onednn_unary(call, dnnl_eltwise_hardswish, 0.0f);
}
