/* _adaptive_avg_pool2d - averages of windows that cover the input, in
 * double
 */
#include "../shared/adaptive.h"
#include "../shared/image_reference.h"

int _adaptive_avg_pool2d_meta(const osw_call *call)
{
    struct osw_separable s = {0};

    return osw_adaptive_open(call, &s);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_separable_at((const struct osw_separable *)job, i, squares);
}

int _adaptive_avg_pool2d_reference(const osw_call *call)
{
    struct osw_separable s = {0};
    int rc = osw_adaptive_open(call, &s);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&s.out), at, &s);
}
