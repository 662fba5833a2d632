/* ops/library/upsample_bicubic2d_backward/
 * upsample_bicubic2d_backward_reference.c - the sum over what takes each
 * element, in double
 */
#include "../shared/bicubic.h"
#include "../shared/image_reference.h"

int upsample_bicubic2d_backward_meta(const osw_call *call)
{
    struct osw_bicubic b = {0};

    return osw_bicubic_open_backward(call, &b);
}

static double at(const void *job, int64_t i, double *squares)
{
    (void)squares;
    return osw_bicubic_backward_at((const struct osw_bicubic *)job, i);
}

int upsample_bicubic2d_backward_reference(const osw_call *call)
{
    struct osw_bicubic b = {0};
    int rc = osw_bicubic_open_backward(call, &b);

    return rc ? rc : osw_image_exact(call, 0, osw_image_numel(&b.in), at, &b);
}
