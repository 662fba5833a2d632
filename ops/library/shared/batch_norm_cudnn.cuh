/* shared/batch_norm_cudnn.cuh - what cuDNN's batch norm takes */
#ifndef OSW_LIBRARY_BATCH_NORM_CUDNN_CUH
#define OSW_LIBRARY_BATCH_NORM_CUDNN_CUH

#include "batch_norm.h"
#include "cudnn_images.cuh"

/* cuDNN has numbers of channels in f32, in f64 for f64. */
static inline int osw_cudnn_takes_channels(const struct osw_batch_norm *b,
                                           const struct osw_channels *v)
{
    return v->dtype.code == OSW_FLOAT && v->step == 1 &&
           v->dtype.bits == (b->x.dtype.bits == 64 ? 64 : 32);
}

/* Tensors 0 ... n - 1 are described as they are, tensor n as channels. */
static inline int osw_cudnn_prepare_batch_norm(const osw_call *call,
                                               const struct osw_image *const *m,
                                               int n, void **state)
{
    struct osw_cudnn_images *s;
    int rc = osw_cudnn_images_prepare(call, m, n, state);

    s = (struct osw_cudnn_images *)*state;
    if (rc)
        return rc;
    if (cudnnCreateTensorDescriptor(&s->tensor[n]))
        return osw_error(call, "cannot create a cuDNN descriptor");
    return osw_cudnn_done(
        call, cudnnDeriveBNTensorDescriptor(s->tensor[n], s->tensor[0],
                                            CUDNN_BATCHNORM_SPATIAL));
}

#endif /* OSW_LIBRARY_BATCH_NORM_CUDNN_CUH */
