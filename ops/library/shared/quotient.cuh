/* shared/quotient.cuh - quotients that are rounded down, in kernels */
#ifndef OSW_LIBRARY_QUOTIENT_CUH
#define OSW_LIBRARY_QUOTIENT_CUH

#include "plain.cuh"
#include "quotient.h"

struct osw_quotient_down : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value) {
            return osw_quotient_floor_int(a, b);
        } else {
            T rest, q;

            if (b == T(0))
                return a / b;
            rest = fmod(a, b);
            q = rint((a - rest) / b);
            if (rest != T(0) && (rest < T(0)) != (b < T(0)))
                q -= T(1);
            return q == T(0) ? copysign(T(0), a / b) : q;
        }
    }
};

struct osw_quotient_remainder : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value)
            return osw_quotient_rest_int(a, b);
        else if constexpr (std::is_same<T, float>::value)
            return osw_quotient_rest_f32(a, b);
        else
            return osw_quotient_rest(a, b);
    }
};

#endif /* OSW_LIBRARY_QUOTIENT_CUH */
