/* shared/launch.cuh - kernel launches on the stream of a call */
#ifndef OSW_LIBRARY_LAUNCH_CUH
#define OSW_LIBRARY_LAUNCH_CUH

#include "per_device.cuh"

#include <cuda_runtime.h>
#include <opsweep/op.h>

/* The runner sees launch errors after the call. */
template <class... P, class... A>
static inline int osw_launch(const osw_call *call, void (*kernel)(P...),
                             dim3 grid, dim3 block, size_t shared_bytes,
                             A... args)
{
    kernel<<<grid, block, shared_bytes, (cudaStream_t)call->stream>>>(
        P(args)...);
    return 0;
}

/* In clusters of so many blocks; more than one need a Hopper. */
template <class... P, class... A>
static inline int
osw_launch_clusters(const osw_call *call, void (*kernel)(P...), int blocks,
                    dim3 grid, dim3 block, size_t shared_bytes, A... args)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = (cudaStream_t)call->stream;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = blocks > 1;
    return cudaLaunchKernelEx(&config, kernel, P(args)...) == cudaSuccess
               ? 0
               : osw_error(call, "launch failed");
}

/* Blocks of so many threads that the device holds at a time. */
template <class... P>
static inline int64_t osw_launch_resident(void (*kernel)(P...), int threads,
                                          size_t shared_bytes)
{
    int per_sm = 1;

    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_sm, kernel, threads, shared_bytes) != cudaSuccess ||
        per_sm < 1)
        per_sm = 1;
    return (int64_t)per_sm * osw_sm_count();
}

/* The dynamic shared memory of a block. */
__device__ static inline char *osw_shared(void)
{
    extern __shared__ __align__(16) char osw_shared_bytes[];

    return osw_shared_bytes;
}

#endif /* OSW_LIBRARY_LAUNCH_CUH */
