/* std.correction - for each output its elements as a row */
#include "../shared/moments_plain.h"

int std__correction_kernel_impl(const osw_call *call)
{
    struct osw_moments m = {0};
    int rc = osw_moments_open_one(call, &m, 1);

    return osw_moments_plain(call, &m, rc);
}
