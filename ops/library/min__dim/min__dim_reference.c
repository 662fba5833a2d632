/* min.dim - the smallest along a dimension, and where it first is */
#include "../shared/extremes_reference.h"

int min__dim_meta(const osw_call *call)
{
    struct osw_extremes e;

    return osw_extremes_open(call, &e, 1, 2, 1,
                             OSW_EXTREMES_VALUES | OSW_EXTREMES_PLACES);
}

int min__dim_reference(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, 1, 2, 1,
                               OSW_EXTREMES_VALUES | OSW_EXTREMES_PLACES);

    return osw_extremes_reference(&e, rc);
}
