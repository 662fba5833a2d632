/* tests/variants/ops/gelu.h - gelu by two functions of a float */
#ifndef VARIANTS_GELU_H
#define VARIANTS_GELU_H

#include "map.h"

static inline int map_gelu(const osw_call *call, float (*exact)(float),
                           float (*by_tanh)(float))
{
    const osw_arg *a = osw_arg_at(call, 1);

    return map_floats(
        call, a->tag == OSW_ARG_STRING && a->u.s[0] == 't' ? by_tanh : exact);
}

static inline float gelu_tanh(float x)
{
    return 0.5f * x *
           (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
}

#endif
