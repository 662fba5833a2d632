/* shared/image_reference.cuh - the same on the device: a thread per element */
#ifndef OSW_LIBRARY_IMAGE_REFERENCE_CUH
#define OSW_LIBRARY_IMAGE_REFERENCE_CUH

#include "image.h"
#include "strided.cuh"

/* F has static __device__ double at(const Job &, int64_t i, double *squares) */
template <class F, class Job>
static __global__ void osw_image_reference_kernel(Job job, double *exact,
                                                  double *norm, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        double squares = 0.0;

        exact[i] = F::at(job, i, &squares);
        if (norm)
            norm[i] = sqrt(squares);
    }
}

template <class F, class Job>
static int osw_image_fill(const osw_call *call, double *exact, double *norm,
                          int64_t n, const Job &job)
{
    if (!exact)
        return OSW_ERROR;
    if (n == 0)
        return 0;
    return osw_launch(call, osw_image_reference_kernel<F, Job>,
                      dim3(osw_grid(n, 256)), dim3(256), 0, job, exact, norm,
                      n);
}

template <class F, class Job>
static int osw_image_reference(const osw_call *call, int output, int64_t n,
                               const Job &job)
{
    double *exact = osw_output_exact(call, output);

    return osw_image_fill<F>(
        call, exact, exact ? osw_output_norm(call, output) : NULL, n, job);
}

/* Without norms: of sums whose factors are computed, and rounded, too. */
template <class F, class Job>
static int osw_image_exact(const osw_call *call, int output, int64_t n,
                           const Job &job)
{
    return osw_image_fill<F>(call, osw_output_exact(call, output), NULL, n,
                             job);
}

#endif /* OSW_LIBRARY_IMAGE_REFERENCE_CUH */
