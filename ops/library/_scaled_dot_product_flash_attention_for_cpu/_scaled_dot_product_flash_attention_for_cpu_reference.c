/* _scaled_dot_product_flash_attention_for_cpu - for each query the weighted
 * mean of the values, and the logarithm of the sum of its weights, in double
 */
#include "../shared/attention_reference.h"

int _scaled_dot_product_flash_attention_for_cpu_meta(const osw_call *call)
{
    struct osw_attention a;
    osw_tensor *lse;

    return osw_attention_open_cpu(call, &a, &lse);
}

int _scaled_dot_product_flash_attention_for_cpu_reference(const osw_call *call)
{
    struct osw_attention a;
    osw_tensor *lse;
    int rc = osw_attention_open_cpu(call, &a, &lse);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    double *sums = exact ? osw_output_exact(call, 1) : NULL;

    if (!sums)
        return rc ? rc : OSW_ERROR;
    return osw_attention_exact(call, &a, exact, sums);
}
