/* im2col - a thread per element of the columns */
#include "../shared/columns.h"
#include "../shared/image_plain.cuh"

struct columns {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_columns &k,
                                                          osw_spot s)
    {
        osw_spot r = osw_columns_row(&k, s.y);
        int64_t y = osw_columns_place(&k, 0, s.x / k.places[1], r.y);
        int64_t x = osw_columns_place(&k, 1, s.x % k.places[1], r.x);

        if (!osw_columns_inside(&k, y, x))
            return 0;
        return osw_plain_pixel<E>(k.image, s.n, r.c, y, x);
    }
};

extern "C" int im2col_kernel_impl(const osw_call *call)
{
    struct osw_columns k = {};
    int rc = osw_columns_open(call, &k);

    return rc ? rc
              : osw_plain_image<columns>(call, k, k.columns, k.image.dtype);
}
