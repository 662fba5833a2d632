/* ops/library/upsample_bicubic2d__vec/
 * upsample_bicubic2d__vec_reference.c - the weighted sum of 4 x 4 elements, in
 * double
 */
#include "../shared/bicubic.h"
#include "../shared/image_reference.h"

int upsample_bicubic2d__vec_meta(const osw_call *call)
{
    struct osw_bicubic b = {0};

    return osw_bicubic_open(call, &b);
}

static double at(const void *job, int64_t i, double *squares)
{
    (void)squares;
    return osw_bicubic_at((const struct osw_bicubic *)job, i);
}

int upsample_bicubic2d__vec_reference(const osw_call *call)
{
    struct osw_bicubic b = {0};
    int rc = osw_bicubic_open(call, &b);

    return rc ? rc : osw_image_exact(call, 0, osw_image_numel(&b.out), at, &b);
}
