/* ops/library/_softmax/_softmax_reference.cu - each row: exp(x - max) / sum,
 * in double
 */
#include "../shared/softmax_reference.cuh"

struct softmax : osw_softmax_plain {
    enum { WITH_MAX = 1 };

    __device__ static double term(double x, double, double max)
    {
        return exp(x - max);
    }
    __device__ static double value(double x, double, double max, double sum)
    {
        return exp(x - max) / sum;
    }
};

extern "C" int _softmax_meta(const osw_call *call)
{
    struct osw_softmax s = {};

    return osw_softmax_open(call, &s);
}

extern "C" int _softmax_reference(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open(call, &s);

    return rc ? rc : osw_softmax_reference<softmax>(call, &s);
}
