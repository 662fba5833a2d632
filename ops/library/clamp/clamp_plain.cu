/* clamp - min(max(self, min), max), either bound may be missing; NaN of any of
 * the three is NaN */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 3,
                                     .arg = {0, 1, 2},
                                     .none = {0, -INFINITY, INFINITY},
                                     .promote = 7,
                                     .no_bool = 1};

struct formula : osw_plain_formula<3> {
    template <class T> static __device__ T of(T a, T b, T c)
    {
        if (a != a || b != b || c != c)
            return a != a ? a : b != b ? b : c;
        a = a < b ? b : a;
        return a > c ? c : a;
    }
};

extern "C" int clamp_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}
