/* _safe_softmax - each row: exp(x - max) / sum; one of nothing but -inf is 0;
 * rows in registers or shared memory
 */
#include "../shared/softmax_fast.cuh"

/* A sum of 0 has terms of 0 only: of elements that are all -inf. */
template <class T> struct safe : osw_softmax_forward<T> {
    __device__ static float2 ready(float2 s)
    {
        return s.y == 0.0f ? make_float2(0.0f, 0.0f)
                           : osw_softmax_forward<T>::ready(s);
    }
    __device__ static float held_ready(float2 all, float2 own)
    {
        return all.y == 0.0f ? 0.0f
                             : osw_softmax_forward<T>::held_ready(all, own);
    }
};

extern "C" int _safe_softmax_kernel_impl(const osw_call *call)
{
    struct osw_softmax s = {};
    int rc = osw_softmax_open_safe(call, &s);

    return rc ? rc : osw_softmax_fast<safe>(call, &s);
}
