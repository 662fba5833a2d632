/* shared/nearest_plain.cuh - nearest_plain.h on a GPU: a thread per element; of
 * the gradient, per element of the input, which adds up its copies
 */
#ifndef OSW_LIBRARY_NEAREST_PLAIN_CUH
#define OSW_LIBRARY_NEAREST_PLAIN_CUH

#include "image_plain.cuh"
#include "nearest.h"

struct osw_nearest_copy {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_nearest &r,
                                                          osw_spot s)
    {
        return osw_plain_pixel<E>(r.in, s.n, s.c, osw_nearest_from(&r, 0, s.y),
                                  osw_nearest_from(&r, 1, s.x));
    }
};

struct osw_nearest_add {
    template <class E>
    static __device__ typename osw_plain_math<E>::type at(const osw_nearest &r,
                                                          osw_spot s)
    {
        int64_t y1 = osw_nearest_first(&r, 0, s.y + 1);
        int64_t x0 = osw_nearest_first(&r, 1, s.x);
        int64_t x1 = osw_nearest_first(&r, 1, s.x + 1);
        typename osw_plain_math<E>::type sum = 0;

        for (int64_t y = osw_nearest_first(&r, 0, s.y); y < y1; y++)
            for (int64_t x = x0; x < x1; x++)
                sum += osw_plain_pixel<E>(r.out, s.n, s.c, y, x);
        return sum;
    }
};

/* rc: what opening the arguments returned. */
static inline int osw_nearest_plain(const osw_call *call, const osw_nearest &r,
                                    int rc)
{
    return rc ? rc
              : osw_plain_image<osw_nearest_copy>(call, r, r.out, r.in.dtype);
}

static inline int osw_nearest_plain_back(const osw_call *call,
                                         const osw_nearest &r, int rc)
{
    return rc ? rc
              : osw_plain_image<osw_nearest_add>(call, r, r.in, r.out.dtype);
}

#endif /* OSW_LIBRARY_NEAREST_PLAIN_CUH */
