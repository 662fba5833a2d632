/* pow.Tensor_Scalar - self to the power of a number */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct formula : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value)
            return of_integers(a, b);
        else
            return pow(a, b);
    }

    /* Only 1 and -1 have negative powers. */
    static __device__ int64_t of_integers(int64_t a, int64_t b)
    {
        int64_t y = 1;

        if (b < 0)
            return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
        for (int64_t i = 0; i < b; i++)
            y = osw_plain_times(y, a);
        return y;
    }
};

extern "C" int pow__Tensor_Scalar_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}
