/* flip - some dimensions backwards, in runs */
#include "../shared/copying.h"
#include "flip.h"

int flip_kernel_impl(const osw_call *call)
{
    struct osw_view from;
    int rc;
    osw_tensor *out = flip_open(call, &from, &rc);

    return rc ? rc : osw_copy_run(call, out, &from.t);
}
