/* shared/image_reference.h - references whose output elements are each a
 * function of their place, in double
 */
#ifndef OSW_LIBRARY_IMAGE_REFERENCE_H
#define OSW_LIBRARY_IMAGE_REFERENCE_H

#include "image.h"

/* Element i of the output.  *squares, 0 before: of the terms that were added.
 */
typedef double osw_image_f(const void *job, int64_t i, double *squares);

/* norm: NULL where it is not wanted.  0, or OSW_ERROR. */
static inline int osw_image_fill(const osw_call *call, double *exact,
                                 double *norm, int64_t n, osw_image_f *f,
                                 const void *job)
{
    if (!exact)
        return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads) if (n > 10000)
    for (int64_t i = 0; i < n; i++) {
        double squares = 0.0;

        exact[i] = f(job, i, &squares);
        if (norm)
            norm[i] = sqrt(squares);
    }
    return 0;
}

static inline int osw_image_reference(const osw_call *call, int output,
                                      int64_t n, osw_image_f *f,
                                      const void *job)
{
    double *exact = osw_output_exact(call, output);

    return osw_image_fill(
        call, exact, exact ? osw_output_norm(call, output) : NULL, n, f, job);
}

/* Without norms: of sums whose factors are computed, and rounded, too. */
static inline int osw_image_exact(const osw_call *call, int output, int64_t n,
                                  osw_image_f *f, const void *job)
{
    return osw_image_fill(call, osw_output_exact(call, output), NULL, n, f,
                          job);
}

#endif /* OSW_LIBRARY_IMAGE_REFERENCE_H */
