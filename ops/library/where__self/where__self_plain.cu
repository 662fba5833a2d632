/* where.self - self where the condition is true, else other */
#include "../shared/plain.cuh"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 6};

struct formula : osw_plain_formula<3> {
    enum { mask = 0 };

    template <class T> static __device__ T of(T a, T b, T c)
    {
        return a != T(0) ? b : c;
    }
};

extern "C" int where__self_kernel_impl(const osw_call *call)
{
    return osw_plain_run<formula>(call, &rule);
}
