/* repeat - self beside itself along each dimension, in runs */
#include "../shared/copying.h"
#include "repeat.h"

int repeat_kernel_impl(const osw_call *call)
{
    struct osw_repeat r = {0};
    int rc = osw_repeat_open(call, &r);

    return rc ? rc : osw_copy_run(call, &r.to.t, &r.from.t);
}
