/* ops/library/avg_pool2d_backward/avg_pool2d_backward_reference.c - the sum of
 * what each window gives, in double
 */
#include "../shared/avg_pool.h"
#include "../shared/image_reference.h"

int avg_pool2d_backward_meta(const osw_call *call)
{
    struct osw_pool p = {0};

    return osw_pool_open_avg_backward(call, &p);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_avg_pool_backward_at((const struct osw_pool *)job, i, squares);
}

int avg_pool2d_backward_reference(const osw_call *call)
{
    struct osw_pool p = {0};
    int rc = osw_pool_open_avg_backward(call, &p);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&p.in), at, &p);
}
