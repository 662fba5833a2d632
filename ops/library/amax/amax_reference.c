/* amax - the largest over some dimensions */
#include "../shared/extremes_reference.h"

int amax_meta(const osw_call *call)
{
    struct osw_extremes e;

    return osw_extremes_open(call, &e, 1, 2, 0, OSW_EXTREMES_VALUES);
}

int amax_reference(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, 1, 2, 0, OSW_EXTREMES_VALUES);

    return osw_extremes_reference(&e, rc);
}
