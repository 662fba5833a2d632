/* floor_divide - the quotient, rounded down */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {
    .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1};

struct formula : osw_plain_formula<2> {
    template <class T> static __device__ T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value) {
            return of_integers(a, b);
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

    static __device__ int64_t of_integers(int64_t a, int64_t b)
    {
        int64_t q;

        if (b == 0) /* there is no right answer */
            return 0;
        if (b == -1)
            return osw_plain_minus((int64_t)0, a);
        q = a / b;
        return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
    }
};

extern "C" int floor_divide_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}
