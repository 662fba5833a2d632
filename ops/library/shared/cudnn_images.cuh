/* shared/cudnn_images.cuh - batch norm and pooling by cuDNN: tensors as images
 * with their strides
 */
#ifndef OSW_LIBRARY_CUDNN_IMAGES_CUH
#define OSW_LIBRARY_CUDNN_IMAGES_CUH

#include "cudnn.cuh"
#include "image.h"

enum { OSW_CUDNN_IMAGES = 4 };

/* What is prepared for a case. */
struct osw_cudnn_images {
    cudnnHandle_t handle; /* NULL: nothing to do */
    cudnnTensorDescriptor_t tensor[OSW_CUDNN_IMAGES];
    cudnnPoolingDescriptor_t pooling;
    int is_f64;
};

static inline const void *osw_cudnn_factor(const struct osw_cudnn_images *s,
                                           const struct osw_cudnn_number *n)
{
    return s->is_f64 ? (const void *)&n->d : (const void *)&n->f;
}

static inline void osw_cudnn_images_finish(void *state)
{
    struct osw_cudnn_images *s = (struct osw_cudnn_images *)state;

    if (!s)
        return;
    if (s->pooling)
        cudnnDestroyPoolingDescriptor(s->pooling);
    for (int i = 0; i < OSW_CUDNN_IMAGES; i++)
        if (s->tensor[i])
            cudnnDestroyTensorDescriptor(s->tensor[i]);
    if (s->handle)
        cudnnDestroy(s->handle);
    free(s);
}

/* Describe tensor i.  0, OSW_UNSUPPORTED or OSW_ERROR. */
static inline int osw_cudnn_images_describe(const osw_call *call,
                                            struct osw_cudnn_images *s, int i,
                                            const struct osw_image *m)
{
    const int64_t size[4] = {m->n, m->c, m->y, m->x};
    cudnnDataType_t type;
    int step[4];

    if (osw_cudnn_type(m->dtype, &type) || osw_image_numel(m) > INT_MAX)
        return OSW_UNSUPPORTED;
    for (int d = 0; d < 4; d++) {
        if (m->step[d] > INT_MAX || (m->step[d] == 0 && size[d] > 1))
            return OSW_UNSUPPORTED;
        step[d] = size[d] == 1 ? 1 : (int)m->step[d];
    }
    if (cudnnCreateTensorDescriptor(&s->tensor[i]))
        return osw_error(call, "cannot create a cuDNN descriptor");
    return osw_cudnn_done(
        call, cudnnSetTensor4dDescriptorEx(s->tensor[i], type, (int)m->n,
                                           (int)m->c, (int)m->y, (int)m->x,
                                           step[0], step[1], step[2], step[3]));
}

/* Handle and descriptors of n tensors of one dtype, none of them for empty
 * ones.  *state is to be finished whatever is returned.
 */
static inline int osw_cudnn_images_prepare(const osw_call *call,
                                           const struct osw_image *const *m,
                                           int n, void **state)
{
    struct osw_cudnn_images *s =
        (struct osw_cudnn_images *)calloc(1, sizeof(*s));

    *state = s;
    if (!s)
        return OSW_ERROR;
    if (!osw_cudnn_aligned(call))
        return OSW_UNSUPPORTED;
    for (int i = 0; i < n; i++) {
        int rc = osw_image_numel(m[i]) == 0
                     ? OSW_UNSUPPORTED
                     : osw_cudnn_images_describe(call, s, i, m[i]);

        if (rc)
            return rc;
        if (!osw_convert_same(m[i]->dtype, m[0]->dtype))
            return OSW_UNSUPPORTED;
    }
    s->is_f64 = m[0]->dtype.bits == 64;
    return cudnnCreate(&s->handle)
               ? osw_error(call, "cannot create a cuDNN handle")
               : 0;
}

/* The prepared state, with the call's stream; NULL with an error. */
static inline struct osw_cudnn_images *
osw_cudnn_images_begin(const osw_call *call)
{
    struct osw_cudnn_images *s = (struct osw_cudnn_images *)call->state;

    if (s && s->handle &&
        !cudnnSetStream(s->handle, (cudaStream_t)call->stream))
        return s;
    osw_error(call, "was not prepared");
    return NULL;
}

#endif /* OSW_LIBRARY_CUDNN_IMAGES_CUH */
