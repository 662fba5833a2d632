/* scaled_dot_product_attention - for each query the weighted mean of the
 * values, in float
 */
#include "../shared/attention_plain.h"

int scaled_dot_product_attention_kernel_impl(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);

    return osw_attention_plain(call, &a, rc, NULL);
}
