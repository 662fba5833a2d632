/* argmax - where the largest first is */
#include "../shared/extremes_reference.h"

int argmax_meta(const osw_call *call)
{
    struct osw_extremes e;

    return osw_extremes_open(call, &e, 1, 2, 0, OSW_EXTREMES_PLACES);
}

int argmax_reference(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, 1, 2, 0, OSW_EXTREMES_PLACES);

    return osw_extremes_reference(&e, rc);
}
