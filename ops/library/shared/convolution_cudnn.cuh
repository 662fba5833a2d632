/* shared/convolution_cudnn.cuh - sums of a convolution by cuDNN's legacy API
 *
 * x and y as they lie, a weight without gaps.  A transposed convolution is the
 * gradient of a plain one.  f32 is computed in f32, not in TF32.
 *
 * Algorithms are those that cuDNN's heuristics name first, but for two kinds.
 * Winograd's and Fourier transforms are no sums of products, and not exact on
 * integers.  Gradients by ALGO_0 and ALGO_3 add partial sums with atomics:
 * cuDNN calls them not deterministic.  Each such sum in 16 bits is rounded,
 * although cuDNN multiplies in float.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_CUDNN_CUH
#define OSW_LIBRARY_CONVOLUTION_CUDNN_CUH

#include "convolution.h"
#include "cudnn.cuh"

#define OSW_CONV_CUDNN_WORKSPACE ((size_t)1 << 30)

/* What is prepared for a case. */
struct osw_conv_cudnn {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t x, y, bias;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnActivationDescriptor_t identity; /* NULL: a bias is added at last */
    cudnnConvolutionFwdAlgo_t to_y;
    cudnnConvolutionBwdDataAlgo_t to_x;
    cudnnConvolutionBwdFilterAlgo_t to_w;
    size_t workspace; /* bytes, of the largest of them */
    bool narrow;      /* tensors are of 16 bits */
    struct osw_cudnn scalars;
};

static inline void osw_conv_cudnn_finish(void *state)
{
    struct osw_conv_cudnn *s = (struct osw_conv_cudnn *)state;

    if (!s)
        return;
    if (s->x)
        cudnnDestroyTensorDescriptor(s->x);
    if (s->y)
        cudnnDestroyTensorDescriptor(s->y);
    if (s->bias)
        cudnnDestroyTensorDescriptor(s->bias);
    if (s->w)
        cudnnDestroyFilterDescriptor(s->w);
    if (s->conv)
        cudnnDestroyConvolutionDescriptor(s->conv);
    if (s->identity)
        cudnnDestroyActivationDescriptor(s->identity);
    if (s->handle)
        cudnnDestroy(s->handle);
    free(s);
}

/* Dimensions that cuDNN is told of: it has no convolution of one. */
static inline int osw_conv_cudnn_dims(const struct osw_conv *c)
{
    return c->input->ndim == 5 ? 3 : 2;
}

static inline cudnnStatus_t osw_conv_cudnn_image(cudnnTensorDescriptor_t d,
                                                 cudnnDataType_t type,
                                                 const osw_tensor *t, int dims)
{
    int size[2 + OSW_CONV_DIMS] = {(int)t->shape[0], (int)t->shape[1]};
    int step[2 + OSW_CONV_DIMS] = {(int)t->strides[0], (int)t->strides[1]};
    int lead = dims + 2 - t->ndim;

    for (int i = 0; i < dims; i++) {
        size[2 + i] = i < lead ? 1 : (int)t->shape[2 + i - lead];
        step[2 + i] = i < lead ? (int)(t->strides[2] * t->shape[2])
                               : (int)t->strides[2 + i - lead];
    }
    return cudnnSetTensorNdDescriptor(d, type, dims + 2, size, step);
}

static inline cudnnStatus_t osw_conv_cudnn_filter(struct osw_conv_cudnn *s,
                                                  cudnnDataType_t type,
                                                  const struct osw_conv *c,
                                                  int dims)
{
    int size[2 + OSW_CONV_DIMS] = {(int)(c->groups * c->n_y), (int)c->n_x};

    for (int i = 0; i < dims; i++)
        size[2 + i] = (int)c->k[OSW_CONV_DIMS - dims + i];
    return cudnnSetFilterNdDescriptor(s->w, type, CUDNN_TENSOR_NCHW, dims + 2,
                                      size);
}

static inline cudnnStatus_t osw_conv_cudnn_geometry(struct osw_conv_cudnn *s,
                                                    cudnnDataType_t type,
                                                    const struct osw_conv *c,
                                                    int dims)
{
    int pad[OSW_CONV_DIMS], stride[OSW_CONV_DIMS], dilation[OSW_CONV_DIMS];
    cudnnMathType_t math =
        type == CUDNN_DATA_FLOAT ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
    cudnnStatus_t rc;

    for (int i = 0; i < dims; i++) {
        int d = OSW_CONV_DIMS - dims + i;

        pad[i] = (int)c->padding[d];
        stride[i] = (int)c->stride[d];
        dilation[i] = (int)c->dilation[d];
    }
    rc = cudnnSetConvolutionNdDescriptor(
        s->conv, dims, pad, stride, dilation, CUDNN_CROSS_CORRELATION,
        type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
    if (!rc)
        rc = cudnnSetConvolutionGroupCount(s->conv, (int)c->groups);
    return rc ? rc : cudnnSetConvolutionMathType(s->conv, math);
}

static inline bool osw_conv_cudnn_sums(cudnnConvolutionFwdAlgo_t a)
{
    return a != CUDNN_CONVOLUTION_FWD_ALGO_FFT &&
           a != CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING &&
           a != CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD &&
           a != CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
}

static inline bool osw_conv_cudnn_sums(cudnnConvolutionBwdDataAlgo_t a)
{
    return a != CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT &&
           a != CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING &&
           a != CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD &&
           a != CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED;
}

static inline bool osw_conv_cudnn_sums(cudnnConvolutionBwdFilterAlgo_t a)
{
    return a != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT &&
           a != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING &&
           a != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD &&
           a != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED;
}

/* The first algorithm of the heuristics that sums products in the workspace,
 * and rounds once.
 */
template <class P, class A>
static cudnnStatus_t osw_conv_cudnn_choose(struct osw_conv_cudnn *s,
                                           const P *found, int n, A *algorithm)
{
    for (int i = 0; i < n; i++) {
        if (found[i].status != CUDNN_STATUS_SUCCESS ||
            !osw_conv_cudnn_sums(found[i].algo) ||
            found[i].memory > OSW_CONV_CUDNN_WORKSPACE ||
            (s->narrow && found[i].determinism != CUDNN_DETERMINISTIC))
            continue;
        *algorithm = found[i].algo;
        if (found[i].memory > s->workspace)
            s->workspace = found[i].memory;
        return CUDNN_STATUS_SUCCESS;
    }
    return CUDNN_STATUS_NOT_SUPPORTED;
}

enum { OSW_CONV_CUDNN_FOUND = 8 };

static inline cudnnStatus_t osw_conv_cudnn_find_y(struct osw_conv_cudnn *s)
{
    cudnnConvolutionFwdAlgoPerf_t found[OSW_CONV_CUDNN_FOUND];
    int n = 0;
    cudnnStatus_t rc = cudnnGetConvolutionForwardAlgorithm_v7(
        s->handle, s->x, s->w, s->conv, s->y, OSW_CONV_CUDNN_FOUND, &n, found);

    return rc ? rc : osw_conv_cudnn_choose(s, found, n, &s->to_y);
}

/* The one that adds a bias before it rounds. */
static inline cudnnStatus_t osw_conv_cudnn_find_biased(struct osw_conv_cudnn *s)
{
    cudnnStatus_t rc = cudnnCreateActivationDescriptor(&s->identity);

    s->to_y = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
    if (!rc)
        rc = cudnnSetActivationDescriptor(
            s->identity, CUDNN_ACTIVATION_IDENTITY, CUDNN_NOT_PROPAGATE_NAN, 0);
    return rc ? rc
              : cudnnGetConvolutionForwardWorkspaceSize(s->handle, s->x, s->w,
                                                        s->conv, s->y, s->to_y,
                                                        &s->workspace);
}

static inline cudnnStatus_t osw_conv_cudnn_find_x(struct osw_conv_cudnn *s)
{
    cudnnConvolutionBwdDataAlgoPerf_t found[OSW_CONV_CUDNN_FOUND];
    int n = 0;
    cudnnStatus_t rc = cudnnGetConvolutionBackwardDataAlgorithm_v7(
        s->handle, s->w, s->y, s->conv, s->x, OSW_CONV_CUDNN_FOUND, &n, found);

    return rc ? rc : osw_conv_cudnn_choose(s, found, n, &s->to_x);
}

static inline cudnnStatus_t osw_conv_cudnn_find_w(struct osw_conv_cudnn *s)
{
    cudnnConvolutionBwdFilterAlgoPerf_t found[OSW_CONV_CUDNN_FOUND];
    int n = 0;
    cudnnStatus_t rc = cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        s->handle, s->x, s->y, s->conv, s->w, OSW_CONV_CUDNN_FOUND, &n, found);

    return rc ? rc : osw_conv_cudnn_choose(s, found, n, &s->to_w);
}

static inline int osw_conv_cudnn_takes(const osw_tensor *t)
{
    for (int i = 0; t && i < t->ndim; i++)
        if (t->strides[i] == 0 && t->shape[i] > 1)
            return 0;
    return !t || (osw_numel(t) > 0 && osw_numel(t) <= INT_MAX);
}

/* x and y: tensors of their shapes and strides.  *state is to be finished
 * whatever is returned.
 */
static inline int osw_conv_cudnn_prepare(const osw_call *call,
                                         const struct osw_conv *c,
                                         const osw_tensor *x,
                                         const osw_tensor *y, void **state)
{
    struct osw_conv_cudnn *s = (struct osw_conv_cudnn *)calloc(1, sizeof(*s));
    int dims = osw_conv_cudnn_dims(c);
    cudnnDataType_t type;
    cudnnStatus_t rc;

    *state = s;
    if (!s)
        return OSW_ERROR;
    if (osw_cudnn_type(c->input->dtype, &type) || !osw_conv_cudnn_takes(x) ||
        !osw_conv_cudnn_takes(y) || !osw_conv_cudnn_takes(c->weight) ||
        !osw_is_contiguous(c->weight) || !osw_cudnn_aligned(call))
        return OSW_UNSUPPORTED;
    s->scalars.is_f64 = type == CUDNN_DATA_DOUBLE;
    s->narrow = c->input->dtype.bits == 16;
    rc = cudnnCreate(&s->handle);
    if (!rc)
        rc = cudnnCreateTensorDescriptor(&s->x);
    if (!rc)
        rc = cudnnCreateTensorDescriptor(&s->y);
    if (!rc)
        rc = cudnnCreateTensorDescriptor(&s->bias);
    if (!rc)
        rc = cudnnCreateFilterDescriptor(&s->w);
    if (!rc)
        rc = cudnnCreateConvolutionDescriptor(&s->conv);
    if (!rc)
        rc = osw_conv_cudnn_image(s->x, type, x, dims);
    if (!rc)
        rc = osw_conv_cudnn_image(s->y, type, y, dims);
    if (!rc)
        rc = osw_conv_cudnn_filter(s, type, c, dims);
    if (!rc)
        rc = osw_conv_cudnn_geometry(s, type, c, dims);
    if (!rc) {
        int size[] = {1, (int)osw_conv_n_out(c), 1, 1, 1};
        int step[] = {(int)osw_conv_n_out(c), 1, 1, 1, 1};

        rc = cudnnSetTensorNdDescriptor(s->bias, type, dims + 2, size, step);
    }
    return osw_cudnn_done(call, rc);
}

/* What a call needs: its stream and workspace.  NULL with an error. */
static inline struct osw_conv_cudnn *osw_conv_cudnn_begin(const osw_call *call,
                                                          void **workspace)
{
    struct osw_conv_cudnn *s = (struct osw_conv_cudnn *)call->state;

    if (!s || !s->handle ||
        cudnnSetStream(s->handle, (cudaStream_t)call->stream)) {
        osw_error(call, "was not prepared");
        return NULL;
    }
    *workspace = osw_workspace(call, s->workspace + 1);
    return *workspace ? s : NULL;
}

static inline cudnnStatus_t
osw_conv_cudnn_make_y(const struct osw_conv_cudnn *s, const osw_tensor *x,
                      const osw_tensor *w, const osw_tensor *y, void *workspace)
{
    return cudnnConvolutionForward(
        s->handle, osw_cudnn_scalar(&s->scalars, &osw_cudnn_one), s->x,
        osw_data(x), s->w, osw_data(w), s->conv, s->to_y, workspace,
        s->workspace, osw_cudnn_scalar(&s->scalars, &osw_cudnn_zero), s->y,
        osw_data(y));
}

/* Where an identity was prepared. */
static inline cudnnStatus_t
osw_conv_cudnn_make_biased(const struct osw_conv_cudnn *s, const osw_tensor *x,
                           const osw_tensor *w, const osw_tensor *bias,
                           const osw_tensor *y, void *workspace)
{
    return cudnnConvolutionBiasActivationForward(
        s->handle, osw_cudnn_scalar(&s->scalars, &osw_cudnn_one), s->x,
        osw_data(x), s->w, osw_data(w), s->conv, s->to_y, workspace,
        s->workspace, osw_cudnn_scalar(&s->scalars, &osw_cudnn_zero), s->y,
        osw_data(y), s->bias, osw_data(bias), s->identity, s->y, osw_data(y));
}

static inline cudnnStatus_t
osw_conv_cudnn_make_x(const struct osw_conv_cudnn *s, const osw_tensor *y,
                      const osw_tensor *w, const osw_tensor *x, void *workspace)
{
    return cudnnConvolutionBackwardData(
        s->handle, osw_cudnn_scalar(&s->scalars, &osw_cudnn_one), s->w,
        osw_data(w), s->y, osw_data(y), s->conv, s->to_x, workspace,
        s->workspace, osw_cudnn_scalar(&s->scalars, &osw_cudnn_zero), s->x,
        osw_data(x));
}

static inline cudnnStatus_t
osw_conv_cudnn_make_w(const struct osw_conv_cudnn *s, const osw_tensor *x,
                      const osw_tensor *y, const osw_tensor *w, void *workspace)
{
    return cudnnConvolutionBackwardFilter(
        s->handle, osw_cudnn_scalar(&s->scalars, &osw_cudnn_one), s->x,
        osw_data(x), s->y, osw_data(y), s->conv, s->to_w, workspace,
        s->workspace, osw_cudnn_scalar(&s->scalars, &osw_cudnn_zero), s->w,
        osw_data(w));
}

#endif /* OSW_LIBRARY_CONVOLUTION_CUDNN_CUH */
