/* tanh_op_pass__tanhf.c - libm. */
#include "../map.h"

int tanh_op_kernel_impl(const osw_call *call)
{
    return map_floats(call, tanhf);
}
