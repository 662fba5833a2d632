/* upsample_bilinear2d - between 2 x 2 neighbours, in double */
#include "../shared/bilinear.h"
#include "../shared/image_reference.h"

int upsample_bilinear2d_meta(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_bilinear_open_sized(call, &s);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_separable_at((const struct osw_separable *)job, i, squares);
}

int upsample_bilinear2d_reference(const osw_call *call)
{
    struct osw_separable s = {0};
    int rc = osw_bilinear_open_sized(call, &s);

    return rc ? rc : osw_image_exact(call, 0, osw_image_numel(&s.out), at, &s);
}
