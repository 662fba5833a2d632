/* unfold_backward - a thread per element, which adds up its windows */
#include "../shared/plain_elements.cuh"
#include "unfold_backward.h"

template <class E> static __global__ void sum(const __grid_constant__ unfold u)
{
    typedef typename osw_plain_math<E>::type A;

    for (int64_t i = osw_plain_first<int64_t>(); i < u.numel;
         i += osw_plain_step<int64_t>()) {
        int64_t place = 0, at = unfold_offset(&u, i, &place);
        A sum = 0;

        for (int64_t w = unfold_first(&u, place);
             w < u.windows && w * u.step <= place; w++)
            sum += osw_plain_load<A>((const E *)u.grad + at +
                                     w * u.step_of[u.dim] +
                                     (place - w * u.step) * u.last);
        osw_plain_store((E *)u.out + i, sum);
    }
}

extern "C" int unfold_backward_kernel_impl(const osw_call *call)
{
    struct unfold u = {};
    int rc = unfold_open(call, &u);

    if (rc)
        return rc;
    return osw_plain_by_float(u.dtype, [&](auto e) {
        return osw_plain_launch(call, sum<decltype(e)>, u.numel, u);
    });
}
