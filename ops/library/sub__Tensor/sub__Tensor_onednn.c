/* sub.Tensor - self - other, by oneDNN */
#include "../shared/elementwise_onednn.h"

static const struct osw_rule rule = {
    .n = 3, .arg = {0, 1, 2}, .none = {0, 0, 1}, .promote = 3, .no_bool = 1};

int sub__Tensor_kernel_impl(const osw_call *call)
{
    return osw_onednn_binary(call, &rule, dnnl_binary_sub);
}
