/* shared/separable_plain.cuh - separable.h on the device: a thread per element
 */
#ifndef OSW_LIBRARY_SEPARABLE_PLAIN_CUH
#define OSW_LIBRARY_SEPARABLE_PLAIN_CUH

#include "image_plain.cuh"
#include "separable.h"

struct osw_separable_forward {
    template <class E>
    static __device__ typename osw_plain_math<E>::type
    at(const osw_separable &s, osw_spot at)
    {
        typedef typename osw_plain_math<E>::type A;
        struct osw_separable_taps ty = osw_separable_taps_of(&s.y, at.y);
        struct osw_separable_taps tx = osw_separable_taps_of(&s.x, at.x);
        A sum = 0;

        for (int64_t y = 0; y < ty.n; y++) {
            A of_row = 0;

            for (int64_t x = 0; x < tx.n; x++)
                of_row += (A)tx.weight[x > 0] *
                          osw_plain_pixel<E>(s.in, at.n, at.c, ty.first + y,
                                             tx.first + x);
            sum += (A)ty.weight[y > 0] * of_row;
        }
        return sum;
    }
};

/* Adds up what takes an element of the input. */
struct osw_separable_backward {
    template <class E>
    static __device__ typename osw_plain_math<E>::type
    of_row(const osw_separable &s, osw_spot at, int64_t y)
    {
        typedef typename osw_plain_math<E>::type A;
        A sum = 0;

        for (int part = 0; part < OSW_SEPARABLE_PARTS; part++) {
            int64_t from, to;

            osw_separable_takers(&s.x, at.x, part, &from, &to);
            for (int64_t x = from; x < to; x++)
                sum += (A)osw_separable_share(&s.x, x, at.x) *
                       osw_plain_pixel<E>(s.out, at.n, at.c, y, x);
        }
        return sum;
    }

    template <class E>
    static __device__ typename osw_plain_math<E>::type
    at(const osw_separable &s, osw_spot at)
    {
        typedef typename osw_plain_math<E>::type A;
        A sum = 0;

        for (int part = 0; part < OSW_SEPARABLE_PARTS; part++) {
            int64_t from, to;

            osw_separable_takers(&s.y, at.y, part, &from, &to);
            for (int64_t y = from; y < to; y++)
                sum +=
                    (A)osw_separable_share(&s.y, y, at.y) * of_row<E>(s, at, y);
        }
        return sum;
    }
};

/* rc: that of what opened s. */
static inline int osw_separable_plain(const osw_call *call,
                                      const osw_separable &s, int rc)
{
    return rc ? rc
              : osw_plain_image<osw_separable_forward>(call, s, s.out,
                                                       s.in.dtype);
}

static inline int osw_separable_plain_back(const osw_call *call,
                                           const osw_separable &s, int rc)
{
    return rc ? rc
              : osw_plain_image<osw_separable_backward>(call, s, s.in,
                                                        s.out.dtype);
}

#endif /* OSW_LIBRARY_SEPARABLE_PLAIN_CUH */
