/* grid_sampler_2d - a thread per element */
#include "../shared/image_plain.cuh"
#include "grid.h"

struct between {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const grid &job,
                                                          osw_spot s)
    {
        typedef typename osw_plain_math<E>::type A;
        struct grid_taps t = grid_taps_of(&job, s.n, s.y, s.x);
        A sum = 0;

        for (int dy = 0; dy < 2; dy++)
            for (int dx = 0; dx < 2; dx++)
                if (grid_inside(&job, &t, dx, dy))
                    sum += (A)grid_weight(&t, dx, dy) *
                           osw_plain_pixel<E>(job.in, s.n, s.c, t.y + dy,
                                              t.x + dx);
        return sum;
    }
};

extern "C" int grid_sampler_2d_kernel_impl(const osw_call *call)
{
    struct grid job;
    int rc = grid_open(call, &job);

    return rc ? rc : osw_plain_image<between>(call, job, job.out, job.in.dtype);
}
