/* ops/library/avg_pool2d/avg_pool2d_reference.c - the mean of each window, in
 * double
 */
#include "../shared/avg_pool.h"
#include "../shared/image_reference.h"

int avg_pool2d_meta(const osw_call *call)
{
    struct osw_pool p = {0};

    return osw_pool_open_avg(call, &p);
}

static double at(const void *job, int64_t i, double *squares)
{
    return osw_avg_pool_at((const struct osw_pool *)job, i, squares);
}

int avg_pool2d_reference(const osw_call *call)
{
    struct osw_pool p = {0};
    int rc = osw_pool_open_avg(call, &p);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&p.out), at, &p);
}
