/* upsample_nearest2d - each element is a copy, in double */
#include "../shared/image_reference.h"
#include "../shared/nearest.h"

int upsample_nearest2d_meta(const osw_call *call)
{
    struct osw_nearest r = {0};

    return osw_nearest_open_sized(call, &r);
}

static double at(const void *job, int64_t i, double *squares)
{
    const struct osw_nearest *r = (const struct osw_nearest *)job;
    struct osw_spot s = osw_image_spot(&r->out, i);

    (void)squares;
    return osw_image_get(&r->in, s.n, s.c, osw_nearest_from(r, 0, s.y),
                         osw_nearest_from(r, 1, s.x));
}

int upsample_nearest2d_reference(const osw_call *call)
{
    struct osw_nearest r = {0};
    int rc = osw_nearest_open_sized(call, &r);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&r.out), at, &r);
}
