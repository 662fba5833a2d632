/* ops/library/upsample_bicubic2d__vec/upsample_bicubic2d__vec_plain.cu - a
 * thread per element
 */
#include "../shared/bicubic.h"
#include "../shared/image_plain.cuh"

struct cubic {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_bicubic &b,
                                                          osw_spot s)
    {
        typedef typename osw_plain_math<E>::type A;
        struct osw_bicubic_taps ty = osw_bicubic_taps_of(&b, 0, s.y);
        struct osw_bicubic_taps tx = osw_bicubic_taps_of(&b, 1, s.x);
        A sum = 0;

        for (int ky = 0; ky < OSW_BICUBIC_TAPS; ky++) {
            int64_t y = osw_bicubic_clamp(ty.first + ky, b.in.y);
            A of_row = 0;

            for (int kx = 0; kx < OSW_BICUBIC_TAPS; kx++)
                of_row += (A)tx.weight[kx] *
                          osw_plain_pixel<E>(
                              b.in, s.n, s.c, y,
                              osw_bicubic_clamp(tx.first + kx, b.in.x));
            sum += (A)ty.weight[ky] * of_row;
        }
        return sum;
    }
};

extern "C" int upsample_bicubic2d__vec_kernel_impl(const osw_call *call)
{
    struct osw_bicubic b = {};
    int rc = osw_bicubic_open(call, &b);

    return rc ? rc : osw_plain_image<cubic>(call, b, b.out, b.in.dtype);
}
