/* _scaled_dot_product_flash_attention_for_cpu - for each query the weighted
 * mean of the values, in float
 */
#include "../shared/attention_plain.h"

int _scaled_dot_product_flash_attention_for_cpu_kernel_impl(
    const osw_call *call)
{
    struct osw_attention a;
    osw_tensor *lse = NULL;
    int rc = osw_attention_open_cpu(call, &a, &lse);

    return osw_attention_plain(call, &a, rc, lse);
}
