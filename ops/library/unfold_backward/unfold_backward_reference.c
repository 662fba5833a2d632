/* unfold_backward - the sum over the windows that an element is in, in double
 */
#include "../shared/image_reference.h"
#include "unfold_backward.h"

int unfold_backward_meta(const osw_call *call)
{
    struct unfold u = {0};

    return unfold_open(call, &u);
}

static double at(const void *job, int64_t i, double *squares)
{
    return unfold_at((const struct unfold *)job, i, squares);
}

int unfold_backward_reference(const osw_call *call)
{
    struct unfold u = {0};
    int rc = unfold_open(call, &u);

    return rc ? rc : osw_image_reference(call, 0, u.numel, at, &u);
}
