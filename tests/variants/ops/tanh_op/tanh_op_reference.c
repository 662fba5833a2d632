/* tanh_op_reference.c - tanh in double. */
#include "../map.h"

int tanh_op_reference(const osw_call *call)
{
    return map_exact(call, tanh);
}
