/* shared/image_plain.cuh - a thread per element of an output */
#ifndef OSW_LIBRARY_IMAGE_PLAIN_CUH
#define OSW_LIBRARY_IMAGE_PLAIN_CUH

#include "image.h"
#include "plain_elements.cuh"

template <class E>
__device__ typename osw_plain_math<E>::type
osw_plain_pixel(const osw_image &m, int64_t n, int64_t c, int64_t y, int64_t x)
{
    return osw_plain_load<typename osw_plain_math<E>::type>(
        (const E *)m.data + osw_image_offset(&m, n, c, y, x));
}

/* F has template <class E> static __device__ A at(const Job &, osw_spot), A the
 * type that E is computed in; `to` is the output.
 */
template <class F, class Job, class E>
static __global__ void
osw_plain_image_kernel(const __grid_constant__ Job job,
                       const __grid_constant__ osw_image to)
{
    int64_t n = osw_image_numel(&to);

    for (int64_t i = osw_plain_first<int64_t>(); i < n;
         i += osw_plain_step<int64_t>()) {
        osw_spot s = osw_image_spot(&to, i);

        osw_plain_store((E *)to.data +
                            osw_image_offset(&to, s.n, s.c, s.y, s.x),
                        F::template at<E>(job, s));
    }
}

/* from: of the dtype of the output. */
template <class F, class Job>
static int osw_plain_image(const osw_call *call, const Job &job,
                           const osw_image &to, osw_dtype from)
{
    if (!osw_rule_same(from, to.dtype))
        return OSW_UNSUPPORTED;
    return osw_plain_by_float(to.dtype, [&](auto e) {
        return osw_plain_launch(call,
                                osw_plain_image_kernel<F, Job, decltype(e)>,
                                osw_image_numel(&to), job, to);
    });
}

#endif /* OSW_LIBRARY_IMAGE_PLAIN_CUH */
