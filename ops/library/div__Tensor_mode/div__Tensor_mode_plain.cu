/* div.Tensor_mode - self / other, rounded towards 0 or down where asked for */
#include "../shared/quotient.cuh"

struct exact : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        return a / b;
    }
};

/* The quotient as elements of type E hold it, without what comes after the
 * point.
 */
template <class E> struct cut : osw_plain_formula<2> {
    enum { on_integers = !osw_plain_is_half<E>::value };

    template <class T> static __device__ T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value)
            return osw_quotient_trunc_int(a, b);
        else if constexpr (osw_plain_is_half<E>::value)
            return trunc((T)(float)E((float)(a / b)));
        else
            return trunc(a / b);
    }
};

extern "C" int div__Tensor_mode_kernel_impl(const osw_call *call)
{
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);
    osw_dtype t;

    if (!rule)
        return OSW_ERROR;
    if (mode == OSW_QUOTIENT_EXACT)
        return osw_plain_run<exact>(call, rule);
    if (mode == OSW_QUOTIENT_FLOOR)
        return osw_plain_run<osw_quotient_down>(call, rule);
    t = osw_rule_common(call, rule);
    if (t.bits != 16 || t.code == OSW_INT)
        return osw_plain_run<cut<float>>(call, rule);
    return t.code == OSW_BFLOAT ? osw_plain_run<cut<__nv_bfloat16>>(call, rule)
                                : osw_plain_run<cut<__half>>(call, rule);
}
