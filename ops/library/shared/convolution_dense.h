/* shared/convolution_dense.h - tensors of a convolution as dense floats */
#ifndef OSW_LIBRARY_CONVOLUTION_DENSE_H
#define OSW_LIBRARY_CONVOLUTION_DENSE_H

#include "convert.h"
#include "convolution.h"

/* Lines are converted at many places: compiled once. */
__attribute__((noinline)) static void osw_conv_read_line(osw_dtype t,
                                                         const void *from,
                                                         int64_t stride,
                                                         int64_t n, float *to)
{
    osw_convert_read(t, from, stride, n, to);
}

__attribute__((noinline)) static void
osw_conv_write_line(osw_dtype t, const float *from, int64_t n, int64_t stride,
                    void *to)
{
    osw_convert_write(t, from, n, stride, to);
}

static inline int osw_conv_is_dense(const osw_tensor *t)
{
    return osw_convert_is_f32(t->dtype) && osw_is_contiguous(t);
}

/* Floats that a copy of t needs. */
static inline int64_t osw_conv_copy_floats(const osw_tensor *t)
{
    return osw_conv_is_dense(t) ? 0 : (osw_numel(t) + 15) / 16 * 16;
}

/* t in dense floats: itself, or a copy in *room, which moves on. */
static inline const float *osw_conv_dense(const osw_call *call,
                                          const osw_tensor *t, float **room)
{
    int64_t n = t->shape[t->ndim - 1], rows = n ? osw_numel(t) / n : 0;
    int threads = osw_numel(t) > 65536 ? (int)call->n_threads : 1;
    float *to = *room;

    if (osw_conv_is_dense(t))
        return (const float *)osw_data(t);
    *room += osw_conv_copy_floats(t);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < rows; i++)
        osw_conv_read_line(t->dtype, osw_at(t, osw_offset(t, i * n)),
                           t->strides[t->ndim - 1], n, to + i * n);
    return to;
}

/* Where t, contiguous, is made in dense floats: itself, or in *room. */
static inline float *osw_conv_target(const osw_tensor *t, float **room)
{
    float *to = *room;

    if (osw_conv_is_dense(t))
        return (float *)osw_data(t);
    *room += osw_conv_copy_floats(t);
    return to;
}

/* Dense floats to t, which is contiguous. */
static inline void osw_conv_store(const osw_call *call, const float *from,
                                  const osw_tensor *t)
{
    int64_t n = osw_numel(t), run = 4096;
    int threads = n > 65536 ? (int)call->n_threads : 1;

#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t i = 0; i < n; i += run)
        osw_conv_write_line(t->dtype, from + i, n - i < run ? n - i : run, 1,
                            osw_at(t, i));
}

#endif /* OSW_LIBRARY_CONVOLUTION_DENSE_H */
