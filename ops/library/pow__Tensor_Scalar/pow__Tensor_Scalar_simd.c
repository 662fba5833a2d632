/* pow.Tensor_Scalar - self to the power of a number, common powers without
 * pow() */
#include "../shared/elementwise.h"
#include "../shared/power.h"

static const struct osw_rule rule = {.n = 2, .arg = {0, 1}, .promote = 3};

OSW_KERNEL(any_float, float, powf(a, b))
OSW_KERNEL(square, float, a *a)
OSW_KERNEL(cube, float, a *a *a)
OSW_KERNEL(same, float, a)
OSW_KERNEL(inverse, float, 1.0f / a)
OSW_KERNEL(in_double, double, pow(a, b))
OSW_KERNEL(in_int, int64_t, osw_int_power(a, b))

/* The exponent is one number: choose by it. */
static void in_float(void *y, const void *const *x, int64_t n)
{
    static const struct {
        float exponent;
        osw_elementwise_kernel *kernel;
    } known[] = {{1.0f, same}, {2.0f, square}, {3.0f, cube}, {-1.0f, inverse}};
    float exponent = *(const float *)x[1];
    osw_elementwise_kernel *kernel = any_float;
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].exponent == exponent)
            kernel = known[i].kernel;
    kernel(y, x, n);
}

int pow__Tensor_Scalar_kernel_impl(const osw_call *call)
{
    static const struct osw_elementwise kernels = {in_float, in_double, in_int};

    return osw_elementwise_run(call, &rule, &kernels);
}
