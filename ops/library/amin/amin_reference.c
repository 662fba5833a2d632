/* amin - the smallest over some dimensions */
#include "../shared/extremes_reference.h"

int amin_meta(const osw_call *call)
{
    struct osw_extremes e;

    return osw_extremes_open(call, &e, 1, 2, 1, OSW_EXTREMES_VALUES);
}

int amin_reference(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, 1, 2, 1, OSW_EXTREMES_VALUES);

    return osw_extremes_reference(&e, rc);
}
