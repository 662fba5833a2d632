/* ops/library/max_pool2d_with_indices_backward/
 * max_pool2d_with_indices_backward_plain.cu - sums by atomic additions, in
 * float (f64: in double); then they are written
 */
#include "../shared/image_plain.cuh"
#include "../shared/pool.h"

template <class A> static __global__ void clear(A *sums, int64_t n)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < n;
         i += osw_plain_step<int64_t>())
        sums[i] = 0;
}

template <class E, class A>
static __global__ void add(const __grid_constant__ osw_pool p,
                           const __grid_constant__ osw_image indices, A *sums)
{
    int64_t n = osw_image_numel(&p.out), plane = p.in.y * p.in.x;

    for (int64_t i = osw_plain_first<int64_t>(); i < n;
         i += osw_plain_step<int64_t>()) {
        osw_spot s = osw_image_spot(&p.out, i);
        int64_t at = osw_image_offset(&indices, s.n, s.c, s.y, s.x);

        atomicAdd(&sums[(s.n * p.in.c + s.c) * plane +
                        ((const int64_t *)indices.data)[at]],
                  osw_plain_pixel<E>(p.out, s.n, s.c, s.y, s.x));
    }
}

template <class E, class A>
static __global__ void write(E *to, const A *sums, int64_t n)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < n;
         i += osw_plain_step<int64_t>())
        osw_plain_store(to + i, sums[i]);
}

extern "C" int
max_pool2d_with_indices_backward_kernel_impl(const osw_call *call)
{
    struct osw_pool p = {};
    struct osw_image indices;
    int rc = osw_pool_open_max_backward(call, &p, &indices);

    if (rc)
        return rc;
    if (!osw_rule_same(p.in.dtype, p.out.dtype))
        return OSW_UNSUPPORTED;
    return osw_plain_by_float(p.in.dtype, [&](auto e) {
        typedef decltype(e) E;
        typedef typename osw_plain_math<E>::type A;
        int64_t n = osw_image_numel(&p.in);
        A *sums = (A *)osw_workspace(call, (size_t)n * sizeof(A) + 8);

        if (!sums)
            return OSW_ERROR;
        osw_plain_launch(call, clear<A>, n, sums, n);
        osw_plain_launch(call, add<E, A>, osw_image_numel(&p.out), p, indices,
                         sums);
        return osw_plain_launch(call, write<E, A>, n, (E *)p.in.data, sums, n);
    });
}
