/* argmin - where the smallest first is, by a plain loop */
#include "../shared/extremes_plain.h"

int argmin_kernel_impl(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, 1, 2, 1, OSW_EXTREMES_PLACES);

    return osw_extremes_plain(call, &e, rc);
}
