/* ops/library/all_reduce/all_reduce_staged.cu - all elements go to all ranks,
 * by way of the host
 */
#include "all_reduce.cuh"

template <class T>
static __global__ void all_reduce_combine(T *to, const T *from, int64_t n,
                                          int max)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += step)
        to[i] = all_reduce_of(to[i], from[i], max);
}

/* room: for what comes from another rank. */
template <class T>
static int all_reduce_run(const osw_call *call, const osw_tensor *x,
                          const osw_tensor *out, void *room)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    int64_t n = osw_numel(x), blocks = (n + 255) / 256;
    int rank = osw_rank(call), world = osw_world(call), rc = 0;
    size_t bytes = (size_t)n * sizeof(T);

    cudaMemcpyAsync(osw_data(out), osw_data(x), bytes, cudaMemcpyDeviceToDevice,
                    stream);
    for (int step = 1; step < world && rc == 0; step++) {
        rc = osw_sendrecv(call, (rank + step) % world, osw_data(x), bytes,
                          (rank + world - step) % world, room, bytes);
        if (rc == 0 && n > 0)
            all_reduce_combine<<<(unsigned)(blocks < 1024 ? blocks : 1024), 256,
                                 0, stream>>>((T *)osw_data(out),
                                              (const T *)room, n,
                                              osw_combine_is_max(call, 1));
    }
    return rc;
}

extern "C" int all_reduce_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_collective_input(call);
    osw_tensor *out;
    void *room;

    if (!x || !osw_combine_of(call, 1, x->dtype))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    room = osw_workspace(call, (size_t)osw_numel(x) * osw_elem_bytes(x) + 1);
    if (!out || !room)
        return OSW_ERROR;
    return ALL_REDUCE_BY_DTYPE(x->dtype, all_reduce_run, call, x, out, room);
}
