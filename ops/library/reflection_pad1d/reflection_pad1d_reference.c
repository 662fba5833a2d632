/* reflection_pad1d - padded by what lies on the other side of each edge, in
 * double
 */
#include "../shared/image_reference.h"
#include "../shared/mirror.h"

int reflection_pad1d_meta(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_mirror_open(call, &s);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_separable_at((const struct osw_separable *)job, i, squares);
}

int reflection_pad1d_reference(const osw_call *call)
{
    struct osw_separable s = {0};
    int rc = osw_mirror_open(call, &s);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&s.out), at, &s);
}
