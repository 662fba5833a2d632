/* shared/pool_cudnn.cuh - average pooling by cuDNN */
#ifndef OSW_LIBRARY_POOL_CUDNN_CUH
#define OSW_LIBRARY_POOL_CUDNN_CUH

#include "cudnn_images.cuh"
#include "pool.h"

/* cuDNN makes as many windows as fit into the input with its padding, and
 * divides by all of a window, or by what of it is in the input.
 */
static inline int osw_cudnn_pools(const struct osw_pool *p)
{
    int fits = !p->divisor;

    for (int axis = 0; axis < 2; axis++)
        fits &= osw_pool_outputs(p, axis, osw_pool_size(&p->in, axis), 0) ==
                osw_pool_size(&p->out, axis);
    return fits;
}

/* Tensors 0 and 1: p->in and p->out. */
static inline int osw_cudnn_prepare_pool(const osw_call *call,
                                         const struct osw_pool *p, void **state)
{
    const struct osw_image *const images[] = {&p->in, &p->out};
    struct osw_cudnn_images *s;
    int rc;

    *state = NULL;
    if (!osw_cudnn_pools(p))
        return OSW_UNSUPPORTED;
    rc = osw_cudnn_images_prepare(call, images, 2, state);
    s = (struct osw_cudnn_images *)*state;
    if (rc)
        return rc;
    if (cudnnCreatePoolingDescriptor(&s->pooling))
        return osw_error(call, "cannot create a cuDNN descriptor");
    return osw_cudnn_done(call,
                          cudnnSetPooling2dDescriptor(
                              s->pooling,
                              p->count_include_pad
                                  ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                  : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                              CUDNN_PROPAGATE_NAN, (int)p->kernel[0],
                              (int)p->kernel[1], (int)p->pad[0], (int)p->pad[1],
                              (int)p->stride[0], (int)p->stride[1]));
}

#endif /* OSW_LIBRARY_POOL_CUDNN_CUH */
