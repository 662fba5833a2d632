/* ops/library/upsample_bicubic2d_backward/upsample_bicubic2d_backward_plain.cu
 * - a thread per element of the input, which adds up what takes it
 */
#include "../shared/bicubic.h"
#include "../shared/image_plain.cuh"

struct sum {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_bicubic &b,
                                                          osw_spot s)
    {
        typedef typename osw_plain_math<E>::type A;
        int64_t y0, y1, x0, x1;
        A sum = 0;

        osw_bicubic_takers(&b, 0, s.y, &y0, &y1);
        osw_bicubic_takers(&b, 1, s.x, &x0, &x1);
        for (int64_t y = y0; y < y1; y++) {
            A share = (A)osw_bicubic_share(&b, 0, y, s.y);

            for (int64_t x = x0; x < x1; x++)
                sum += osw_plain_pixel<E>(b.out, s.n, s.c, y, x) * share *
                       (A)osw_bicubic_share(&b, 1, x, s.x);
        }
        return sum;
    }
};

extern "C" int upsample_bicubic2d_backward_kernel_impl(const osw_call *call)
{
    struct osw_bicubic b = {};
    int rc = osw_bicubic_open_backward(call, &b);

    return rc ? rc : osw_plain_image<sum>(call, b, b.in, b.out.dtype);
}
