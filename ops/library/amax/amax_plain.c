/* amax - the largest over some dimensions, by a plain loop */
#include "../shared/extremes_plain.h"

int amax_kernel_impl(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, 1, 2, 0, OSW_EXTREMES_VALUES);

    return osw_extremes_plain(call, &e, rc);
}
