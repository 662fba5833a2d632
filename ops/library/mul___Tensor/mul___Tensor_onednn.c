/* mul_.Tensor - self *= other, by oneDNN */
#include "../shared/elementwise_onednn.h"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .result = OSW_RULE_IN_PLACE};

int mul___Tensor_kernel_impl(const osw_call *call)
{
    return osw_onednn_binary(call, &rule, dnnl_binary_mul);
}
