/* shared/cudnn.cuh - softmax and activations by cuDNN's legacy API
 *
 * Contiguous tensors of one dtype.  Linked with -lcudnn (op.json, `build`):
 * where cuDNN is not installed the verdict of these implementations is
 * `build`, where it is missing at run time `load`.
 */
#ifndef OSW_LIBRARY_CUDNN_CUH
#define OSW_LIBRARY_CUDNN_CUH

#include "launch.cuh"
#include "softmax.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cudnn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* What is prepared for a case. */
struct osw_cudnn {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t tensor; /* of all of them */
    cudnnActivationDescriptor_t activation;
    cudnnSoftmaxMode_t mode;
    int is_f64;
};

/* Scalars are of the dtype that is computed in. */
struct osw_cudnn_number {
    float f;
    double d;
};

static const struct osw_cudnn_number osw_cudnn_one = {1.0f, 1.0};
static const struct osw_cudnn_number osw_cudnn_zero = {0.0f, 0.0};

static inline const void *osw_cudnn_scalar(const struct osw_cudnn *s,
                                           const struct osw_cudnn_number *n)
{
    return s->is_f64 ? (const void *)&n->d : (const void *)&n->f;
}

/* 0, OSW_UNSUPPORTED where cuDNN has no kernel for it, or an error. */
static inline int osw_cudnn_done(const osw_call *call, cudnnStatus_t status)
{
    if (status == CUDNN_STATUS_SUCCESS)
        return 0;
    if (status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000)
        return OSW_UNSUPPORTED;
    return osw_error(call, cudnnGetErrorString(status));
}

static inline int osw_cudnn_type(osw_dtype t, cudnnDataType_t *type)
{
    if (osw_convert_is_f32(t))
        *type = CUDNN_DATA_FLOAT;
    else if (osw_convert_is_f16(t))
        *type = CUDNN_DATA_HALF;
    else if (osw_convert_is_bf16(t))
        *type = CUDNN_DATA_BFLOAT16;
    else if (t.code == OSW_FLOAT && t.bits == 64)
        *type = CUDNN_DATA_DOUBLE;
    else
        return OSW_UNSUPPORTED;
    return 0;
}

/* Do all arguments begin at a multiple of 16 bytes?  cuDNN loads as much at a
 * time: of others it says "misaligned address", or its sums are wrong (9 on an
 * H200: a softmax over another dimension than the last).
 */
static inline int osw_cudnn_aligned(const osw_call *call)
{
    for (uint32_t i = 0; i < call->n_args; i++)
        if (call->args[i].tag == OSW_ARG_TENSOR &&
            (uintptr_t)osw_data(call->args[i].u.tensor) % 16 != 0)
            return 0;
    return 1;
}

static inline void osw_cudnn_finish(void *state)
{
    struct osw_cudnn *s = (struct osw_cudnn *)state;

    if (!s)
        return;
    if (s->activation)
        cudnnDestroyActivationDescriptor(s->activation);
    if (s->tensor)
        cudnnDestroyTensorDescriptor(s->tensor);
    if (s->handle)
        cudnnDestroy(s->handle);
    free(s);
}

/* Contiguous tensors [outer, n, inner] like t.  *state is to be finished
 * whatever is returned.
 */
static inline int osw_cudnn_prepare(const osw_call *call, const osw_tensor *t,
                                    int64_t outer, int64_t n, int64_t inner,
                                    void **state)
{
    struct osw_cudnn *s = (struct osw_cudnn *)calloc(1, sizeof(*s));
    cudnnDataType_t type;

    *state = s;
    if (!s)
        return OSW_ERROR;
    if (outer * n * inner == 0)
        return 0;
    if (outer * n * inner > INT_MAX || osw_cudnn_type(t->dtype, &type) ||
        !osw_cudnn_aligned(call))
        return OSW_UNSUPPORTED;
    s->is_f64 = type == CUDNN_DATA_DOUBLE;
    s->mode =
        inner == 1 ? CUDNN_SOFTMAX_MODE_INSTANCE : CUDNN_SOFTMAX_MODE_CHANNEL;
    if (cudnnCreate(&s->handle))
        return osw_error(call, "cannot create a cuDNN handle");
    if (cudnnCreateTensorDescriptor(&s->tensor))
        return osw_error(call, "cannot create a cuDNN descriptor");
    return osw_cudnn_done(
        call, cudnnSetTensor4dDescriptor(s->tensor, CUDNN_TENSOR_NCHW, type,
                                         (int)outer, (int)n, (int)inner, 1));
}

/* The prepared state, with the call's stream; NULL with an error. */
static inline struct osw_cudnn *osw_cudnn_begin(const osw_call *call)
{
    struct osw_cudnn *s = (struct osw_cudnn *)call->state;

    if (s && s->handle &&
        !cudnnSetStream(s->handle, (cudaStream_t)call->stream))
        return s;
    osw_error(call, "was not prepared");
    return NULL;
}

/* --- softmax --- */

/* Is it contiguous, and in one dtype? */
static inline int osw_cudnn_takes(const struct osw_softmax *s)
{
    const osw_tensor *x = s->x.tensor, *y = s->y.tensor;

    return osw_is_contiguous(x) && osw_is_contiguous(y) &&
           osw_convert_same(x->dtype, y->dtype) &&
           osw_convert_same(x->dtype, s->out.tensor->dtype);
}

static inline int osw_cudnn_prepare_softmax(const osw_call *call,
                                            const struct osw_softmax *s,
                                            void **state)
{
    const osw_tensor *x = s->x.tensor;
    int64_t inner = 1;

    *state = NULL;
    if (!osw_cudnn_takes(s))
        return OSW_UNSUPPORTED;
    for (int32_t d = s->x.dim + 1; d < x->ndim; d++)
        inner *= x->shape[d];
    return osw_cudnn_prepare(call, x, inner ? s->x.n_rows / inner : 0, s->x.n,
                             inner, state);
}

/* *c: NULL when there is nothing to do. */
static inline int osw_cudnn_begin_softmax(const osw_call *call,
                                          const struct osw_softmax *s,
                                          struct osw_cudnn **c)
{
    *c = NULL;
    if (!osw_cudnn_takes(s))
        return OSW_UNSUPPORTED;
    if (s->x.n_rows * s->x.n == 0)
        return 0;
    *c = osw_cudnn_begin(call);
    return *c ? 0 : OSW_ERROR;
}

/* A row of nothing but -inf: its maximum is subtracted from it, which is NaN.
 * One thread per row, which nearly always ends at the row's first element.
 */
template <typename T>
__global__ void osw_cudnn_rows_of_inf(const T *x, T *y, int64_t n_rows,
                                      int64_t n)
{
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= n_rows)
        return;
    for (int64_t i = 0; i < n; i++)
        if (!(x[row * n + i] == T(-INFINITY)))
            return;
    for (int64_t i = 0; i < n; i++)
        y[row * n + i] = T(NAN);
}

template <typename T>
static inline int osw_cudnn_fill_rows_of_inf(const osw_call *call,
                                             const struct osw_softmax *s)
{
    const unsigned threads = 128;
    int64_t n_blocks = (s->x.n_rows + threads - 1) / threads;

    return osw_launch(call, osw_cudnn_rows_of_inf<T>, dim3((unsigned)n_blocks),
                      dim3(threads), 0, (const T *)osw_data(s->x.tensor),
                      (T *)osw_data(s->out.tensor), s->x.n_rows, s->x.n);
}

/* What cuDNN's mode for adjacent elements makes of such rows, 0, or -inf of
 * which the logarithm is taken, is put right.
 */
static inline int osw_cudnn_end_softmax(const osw_call *call,
                                        const struct osw_softmax *s,
                                        const struct osw_cudnn *c)
{
    osw_dtype t = s->x.tensor->dtype;

    if (c->mode != CUDNN_SOFTMAX_MODE_INSTANCE)
        return 0;
    return c->is_f64               ? osw_cudnn_fill_rows_of_inf<double>(call, s)
           : osw_convert_is_f32(t) ? osw_cudnn_fill_rows_of_inf<float>(call, s)
           : osw_convert_is_f16(t)
               ? osw_cudnn_fill_rows_of_inf<__half>(call, s)
               : osw_cudnn_fill_rows_of_inf<__nv_bfloat16>(call, s);
}

static inline int osw_cudnn_softmax(const osw_call *call,
                                    const struct osw_softmax *s,
                                    cudnnSoftmaxAlgorithm_t algorithm)
{
    struct osw_cudnn *c;
    int rc = osw_cudnn_begin_softmax(call, s, &c);

    if (rc || !c)
        return rc;
    rc = osw_cudnn_done(
        call, cudnnSoftmaxForward(c->handle, algorithm, c->mode,
                                  osw_cudnn_scalar(c, &osw_cudnn_one),
                                  c->tensor, osw_data(s->x.tensor),
                                  osw_cudnn_scalar(c, &osw_cudnn_zero),
                                  c->tensor, osw_data(s->out.tensor)));
    return rc ? rc : osw_cudnn_end_softmax(call, s, c);
}

static inline int osw_cudnn_softmax_backward(const osw_call *call,
                                             const struct osw_softmax *s,
                                             cudnnSoftmaxAlgorithm_t algorithm)
{
    struct osw_cudnn *c;
    int rc = osw_cudnn_begin_softmax(call, s, &c);

    if (rc || !c)
        return rc;
    return osw_cudnn_done(
        call, cudnnSoftmaxBackward(c->handle, algorithm, c->mode,
                                   osw_cudnn_scalar(c, &osw_cudnn_one),
                                   c->tensor, osw_data(s->y.tensor), c->tensor,
                                   osw_data(s->x.tensor),
                                   osw_cudnn_scalar(c, &osw_cudnn_zero),
                                   c->tensor, osw_data(s->out.tensor)));
}

/* --- activations: of one tensor, into one like it --- */

static inline int osw_cudnn_prepare_activation(const osw_call *call,
                                               cudnnActivationMode_t mode,
                                               void **state)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    struct osw_cudnn *s;
    int rc;

    *state = NULL;
    if (!x)
        return osw_error(call, "expected a tensor");
    if (!osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    rc = osw_cudnn_prepare(call, x, 1, 1, osw_numel(x), state);
    s = (struct osw_cudnn *)*state;
    if (rc || !s->handle)
        return rc;
    if (cudnnCreateActivationDescriptor(&s->activation))
        return osw_error(call, "cannot create a cuDNN descriptor");
    return osw_cudnn_done(
        call, cudnnSetActivationDescriptor(s->activation, mode,
                                           CUDNN_PROPAGATE_NAN, 0.0));
}

static inline int osw_cudnn_activation(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    cudnnDataType_t type;
    struct osw_cudnn *s;
    osw_tensor *out;

    if (!x)
        return osw_error(call, "expected a tensor");
    if (!osw_is_contiguous(x) || osw_cudnn_type(x->dtype, &type))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (osw_numel(x) == 0)
        return 0;
    s = osw_cudnn_begin(call);
    if (!s)
        return OSW_ERROR;
    return osw_cudnn_done(
        call, cudnnActivationForward(
                  s->handle, s->activation, osw_cudnn_scalar(s, &osw_cudnn_one),
                  s->tensor, osw_data(x), osw_cudnn_scalar(s, &osw_cudnn_zero),
                  s->tensor, osw_data(out)));
}

#endif /* OSW_LIBRARY_CUDNN_CUH */
