/* ops/library/_softmax_backward_data/_softmax_backward_data_reference.cu -
 * each row: output * (grad - sum of grad * output), in double
 */
#include "../shared/softmax_reference.cuh"

struct softmax {
    enum { WITH_MAX = 0, WITH_NORM = 1 };

    __device__ static double term(double grad, double y, double)
    {
        return grad * y;
    }
    __device__ static double value(double grad, double y, double, double sum)
    {
        return y * (grad - sum);
    }
    __device__ static double norm(double grad, double y, double squares)
    {
        return fabs(y) * sqrt(grad * grad + squares);
    }
};

extern "C" int _softmax_backward_data_meta(const osw_call *call)
{
    struct osw_softmax s = {};

    return osw_softmax_open_backward(call, &s);
}

extern "C" int _softmax_backward_data_reference(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_backward(call, &s);

    return rc ? rc : osw_softmax_reference<softmax>(call, &s);
}
