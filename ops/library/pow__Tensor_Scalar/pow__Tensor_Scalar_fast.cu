/* pow.Tensor_Scalar - self to the power of a number, common powers of floats
 * without pow() */
#include "../shared/elementwise.cuh"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

struct square : osw_formula {
    enum { tensors = 1 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return osw_times(a, a);
    }
};

struct cube : osw_formula {
    enum { tensors = 1 };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return osw_times(osw_times(a, a), a);
    }
};

struct power : osw_formula {
    enum { tensors = 1 };

    template <class T> static OSW_HD T of(T a, T b, T)
    {
        if constexpr (std::is_same<T, int64_t>::value)
            return osw_int_power(a, b);
        else
            return pow(a, b);
    }
};

extern "C" int pow__Tensor_Scalar_kernel_impl(const osw_call *call)
{
    struct osw_rule_plan plan;
    int rc;
    osw_tensor *out = osw_rule_declare(call, &rule, &plan, &rc);

    if (!out)
        return rc;
    if (!plan.x[1].tensor && plan.x[1].number == 2.0)
        return osw_elementwise_apply<square>(call, &plan, 2, out);
    if (!plan.x[1].tensor && plan.x[1].number == 3.0)
        return osw_elementwise_apply<cube>(call, &plan, 2, out);
    return osw_elementwise_apply<power>(call, &plan, 2, out);
}
