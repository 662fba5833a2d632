/* ops/library/scaled_dot_product_attention/scaled_dot_product_attention_reference.cu
 * - for each query: exp(score - largest) / sum, times the values, in double
 */
#include "../shared/attention_passes.cuh"

struct exact {
    typedef double *to;

    static __device__ void put(double *out, int64_t at, double v)
    {
        out[at] = v;
    }
};

extern "C" int scaled_dot_product_attention_meta(const osw_call *call)
{
    struct osw_attention a;

    return osw_attention_open(call, &a);
}

extern "C" int scaled_dot_product_attention_reference(const osw_call *call)
{
    struct osw_attention a;
    int rc = osw_attention_open(call, &a);
    double *out = rc ? NULL : osw_output_exact(call, 0);

    if (!out)
        return rc ? rc : OSW_ERROR;
    return osw_attention_passes<double, exact>(call, &a, out);
}
