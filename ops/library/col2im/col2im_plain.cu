/* col2im - a thread per element of the image, which adds up its windows */
#include "../shared/columns.h"
#include "../shared/image_plain.cuh"

struct sum {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_columns &k,
                                                          osw_spot s)
    {
        typename osw_plain_math<E>::type sum = 0;

        for (int64_t ky = 0; ky < k.kernel[0]; ky++)
            for (int64_t kx = 0; kx < k.kernel[1]; kx++) {
                int64_t y = osw_columns_window(&k, 0, s.y, ky);
                int64_t x = osw_columns_window(&k, 1, s.x, kx);

                if (y >= 0 && x >= 0)
                    sum += osw_plain_pixel<E>(
                        k.columns, s.n, 0,
                        (s.c * k.kernel[0] + ky) * k.kernel[1] + kx,
                        y * k.places[1] + x);
            }
        return sum;
    }
};

extern "C" int col2im_kernel_impl(const osw_call *call)
{
    struct osw_columns k = {};
    int rc = osw_columns_open_back(call, &k);

    return rc ? rc : osw_plain_image<sum>(call, k, k.image, k.columns.dtype);
}
