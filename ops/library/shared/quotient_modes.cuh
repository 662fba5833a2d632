/* shared/quotient_modes.cuh - div with a rounding_mode, in kernels */
#ifndef OSW_LIBRARY_QUOTIENT_MODES_CUH
#define OSW_LIBRARY_QUOTIENT_MODES_CUH

#include "quotient.cuh"

struct osw_quotient_exact : osw_plain_formula<2> {
    enum { on_integers = 0 };

    template <class T> static __device__ T of(T a, T b, T)
    {
        return a / b;
    }
};

/* The quotient as elements of type E hold it, without what comes after the
 * point.
 */
template <class E> struct osw_quotient_cut : osw_plain_formula<2> {
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

/* (self, other, rounding_mode) */
static inline int osw_quotient_plain(const osw_call *call)
{
    enum osw_quotient_mode mode;
    const struct osw_rule *rule = osw_quotient_open(call, &mode);
    osw_dtype t;

    if (!rule)
        return OSW_ERROR;
    if (mode == OSW_QUOTIENT_EXACT)
        return osw_plain_run<osw_quotient_exact>(call, rule);
    if (mode == OSW_QUOTIENT_FLOOR)
        return osw_plain_run<osw_quotient_down>(call, rule);
    t = osw_rule_common(call, rule);
    if (t.bits != 16 || t.code == OSW_INT)
        return osw_plain_run<osw_quotient_cut<float>>(call, rule);
    return t.code == OSW_BFLOAT
               ? osw_plain_run<osw_quotient_cut<__nv_bfloat16>>(call, rule)
               : osw_plain_run<osw_quotient_cut<__half>>(call, rule);
}

#endif /* OSW_LIBRARY_QUOTIENT_MODES_CUH */
