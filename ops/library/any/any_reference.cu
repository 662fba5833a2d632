/* ops/library/any/any_reference.cu - is any element not 0? */
#include "any.cuh"

/* Those that find one all write the same. */
static __global__ void look(struct osw_strided x, int64_t n, uint8_t *out)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        if (osw_strided_get(&x, i) != 0.0)
            *out = 1;
}

extern "C" int any_meta(const osw_call *call)
{
    struct osw_any a;

    return osw_any_open(call, &a);
}

extern "C" int any_reference(const osw_call *call)
{
    struct osw_any a;
    struct osw_strided x;
    int rc = osw_any_open(call, &a);

    if (rc)
        return rc;
    if (osw_strided_of(&x, a.self))
        return OSW_UNSUPPORTED;
    cudaMemsetAsync(osw_data(a.out), 0, 1, (cudaStream_t)call->stream);
    if (osw_numel(a.self) == 0)
        return 0;
    return osw_launch(call, look, dim3(osw_grid(osw_numel(a.self), 256)),
                      dim3(256), 0, x, osw_numel(a.self),
                      (uint8_t *)osw_data(a.out));
}
