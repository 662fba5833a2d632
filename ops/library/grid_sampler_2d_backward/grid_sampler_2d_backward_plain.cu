/* grid_sampler_2d_backward - a thread per place: what it took is added to the
 * input's gradient, plane by plane
 */
#include "../shared/plain_picking.cuh"
#include "grid_backward.h"

struct total {
    char *data; /* NULL: not asked for */
    int64_t step[4];
};

template <class E>
static __device__ typename osw_plain_math<E>::type
pixel(const osw_image &m, int64_t n, int64_t c, int64_t y, int64_t x)
{
    return osw_plain_load<typename osw_plain_math<E>::type>(
        (const E *)m.data + osw_image_offset(&m, n, c, y, x));
}

template <class E>
static __global__ void give_back(const __grid_constant__ grid_back job,
                                 const __grid_constant__ total to)
{
    typedef typename osw_plain_math<E>::type A;
    const osw_image &out = job.slopes; /* [n, y, x, 2] */

    for (int64_t i = osw_plain_first<int64_t>(); i < out.n * out.c * out.y;
         i += osw_plain_step<int64_t>()) {
        int64_t x = i % out.y, y = i / out.y % out.c, n = i / out.y / out.c;
        struct grid_taps t = grid_taps_of(&job.grid, n, y, x);
        A sum[2] = {0, 0};

        for (int64_t c = 0; c < job.grid.in.c; c++)
            for (int k = 0; k < 4; k++) {
                int dx = k & 1, dy = k >> 1;
                A g;

                if (!grid_inside(&job.grid, &t, dx, dy))
                    continue;
                g = pixel<E>(job.grid.out, n, c, y, x);
                if (to.data)
                    osw_plain_add_to(
                        (A *)to.data + n * to.step[0] + c * to.step[1] +
                            (t.y + dy) * to.step[2] + (t.x + dx) * to.step[3],
                        g, (A)grid_weight(&t, dx, dy));
                g *= pixel<E>(job.grid.in, n, c, t.y + dy, t.x + dx);
                sum[0] += g * (A)grid_weight_by_x(&t, dx, dy);
                sum[1] += g * (A)grid_weight_by_y(&t, dx, dy);
            }
        for (int k = 0; k < 2; k++) {
            double g = osw_image_get(&job.grid.places, n, y, x, k);

            osw_plain_store(
                (E *)out.data + osw_image_offset(&out, n, y, x, k),
                (A)(sum[k] * grid_slope(&job.grid, g,
                                        k ? job.grid.in.y : job.grid.in.x)));
        }
    }
}

extern "C" int grid_sampler_2d_backward_kernel_impl(const osw_call *call)
{
    struct grid_back job;
    osw_plain_total t;
    total to = {};
    int rc = grid_back_open(call, &job);

    if (rc)
        return rc;
    if (!osw_rule_same(job.grid.in.dtype, job.grid.out.dtype) ||
        !osw_rule_same(job.grid.in.dtype, job.slopes.dtype))
        return OSW_UNSUPPORTED;
    if (job.grad) {
        rc = osw_plain_total_open(call, &t, job.grad);
        if (!rc)
            rc = osw_plain_fill(call, &t.view.t, 0.0);
        to.data = rc ? NULL : (char *)osw_data(&t.view.t);
        for (int d = 0; !rc && d < 4; d++)
            to.step[d] = t.view.strides[d];
    }
    if (!rc)
        rc = osw_plain_by_float(job.grid.in.dtype, [&](auto e) {
            return osw_plain_launch(call, give_back<decltype(e)>,
                                    osw_image_numel(&job.slopes) / 2, job, to);
        });
    return rc || !job.grad ? rc : osw_plain_total_close(call, &t);
}
