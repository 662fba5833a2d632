/* scaled_dot_product_attention - for each query the weighted mean of the
 * values, in double
 */
#include "../shared/attention_reference.h"

int scaled_dot_product_attention_meta(const osw_call *call)
{
    struct osw_attention a;

    return osw_attention_open(call, &a);
}

int scaled_dot_product_attention_reference(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);
    double *exact = rc ? NULL : osw_output_exact(call, 0);

    if (!exact)
        return rc ? rc : OSW_ERROR;
    return osw_attention_exact(call, &a, exact, NULL);
}
