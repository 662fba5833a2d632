/* shared/triangle_plain.cuh - an element per thread, 0 beyond a diagonal */
#ifndef OSW_LIBRARY_TRIANGLE_PLAIN_CUH
#define OSW_LIBRARY_TRIANGLE_PLAIN_CUH

#include "plain_copy.cuh"
#include "triangle.h"

struct osw_triangle_job {
    struct osw_plain_axes axes; /* of self */
    int64_t total, rows, cols, diagonal;
    enum osw_triangle_part part;
    char *to;
    const char *from;
};

template <class T, class I>
static __global__ void
osw_triangle_kernel(const __grid_constant__ osw_triangle_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t col = i % (I)job.cols, row = i / (I)job.cols % (I)job.rows, at;
        int64_t right = col - row - job.diagonal;
        int kept = job.part == OSW_TRIANGLE_LOWER ? right <= 0 : right >= 0;

        osw_plain_at<1>(job.axes, i, &at);
        ((T *)job.to)[i] = kept ? ((const T *)job.from)[at] : T();
    }
}

static inline int osw_triangle_plain(const osw_call *call,
                                     enum osw_triangle_part part)
{
    struct osw_triangle t = {};
    int rc = osw_triangle_open(call, &t, part);
    const osw_tensor *one[OSW_PLAIN_TENSORS] = {t.self};
    osw_triangle_job job = {};

    if (rc)
        return rc;
    if (t.self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_plain_axes_of(&job.axes, t.self->ndim, t.self->shape, one);
    job.total = osw_numel(t.out);
    job.rows = t.rows;
    job.cols = t.cols;
    job.diagonal = t.diagonal;
    job.part = part;
    job.to = (char *)osw_data(t.out);
    job.from = (const char *)osw_data(t.self);
    return osw_plain_by_size(t.out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, osw_triangle_kernel<T, decltype(i)>,
                                    job.total, job);
        });
    });
}

#endif /* OSW_LIBRARY_TRIANGLE_PLAIN_CUH */
