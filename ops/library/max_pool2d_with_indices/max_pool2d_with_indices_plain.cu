/* ops/library/max_pool2d_with_indices/max_pool2d_with_indices_plain.cu - a
 * thread per window
 */
#include "../shared/image_plain.cuh"
#include "../shared/max_pool.h"

struct job {
    osw_pool p;
    osw_image indices;
};

struct maximum {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const job &j,
                                                          osw_spot s)
    {
        const osw_pool *p = &j.p;
        int64_t y0 = osw_pool_first(p, 0, s.y), y1 = osw_pool_end(p, 0, s.y);
        int64_t x0 = osw_pool_first(p, 1, s.x), x1 = osw_pool_end(p, 1, s.x);
        typename osw_plain_math<E>::type largest = -INFINITY;
        int64_t index = y0 * p->in.x + x0;

        for (int64_t y = y0; y < y1; y += p->dilation[0])
            for (int64_t x = x0; x < x1; x += p->dilation[1]) {
                auto v = osw_plain_pixel<E>(p->in, s.n, s.c, y, x);

                if (v > largest || v != v) {
                    largest = v;
                    index = y * p->in.x + x;
                }
            }
        ((int64_t *)
             j.indices.data)[osw_image_offset(&j.indices, s.n, s.c, s.y, s.x)] =
            index;
        return largest;
    }
};

extern "C" int max_pool2d_with_indices_kernel_impl(const osw_call *call)
{
    job j = {};
    int rc = osw_pool_open_max(call, &j.p, &j.indices);

    return rc ? rc : osw_plain_image<maximum>(call, j, j.p.out, j.p.in.dtype);
}
