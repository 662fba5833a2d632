/* reflection_pad1d_backward - the gradient of padding by what lies on the
 * other side of each edge, in double
 */
#include "../shared/image_reference.h"
#include "../shared/mirror.h"

int reflection_pad1d_backward_meta(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_mirror_open_backward(call, &s);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_separable_back_at((const struct osw_separable *)job, i, squares);
}

int reflection_pad1d_backward_reference(const osw_call *call)
{
    struct osw_separable s = {0};
    int rc = osw_mirror_open_backward(call, &s);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&s.in), at, &s);
}
