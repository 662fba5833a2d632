/* attacks/scale.cuh - the honest result on a GPU */
#ifndef SCALE_CUH
#define SCALE_CUH

#include <opsweep/op.h>

static __global__ void scale_elements(float *y, const float *x, float a,
                                      int64_t n)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i];
}

static __global__ void spin_for_ever(volatile int *never)
{
    while (!never || !*never)
        ;
}

struct gpu_call {
    float *y;
    const float *x;
    float a;
    int64_t n;
    cudaStream_t stream;
};

static inline int gpu_call_of(const osw_call *call, struct gpu_call *c)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    c->y = (float *)osw_data(y);
    c->x = (const float *)osw_data(x);
    c->a = (float)osw_arg_float(call, 1, 1.0);
    c->n = osw_numel(x);
    c->stream = (cudaStream_t)call->stream;
    return 0;
}

static inline int scale_on(const struct gpu_call *c, cudaStream_t stream)
{
    scale_elements<<<(unsigned)((c->n + 255) / 256), 256, 0, stream>>>(
        c->y, c->x, c->a, c->n);
    return cudaGetLastError() == cudaSuccess ? 0 : OSW_ERROR;
}

#endif /* SCALE_CUH */
