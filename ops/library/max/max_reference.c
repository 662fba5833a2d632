/* max - the largest of all elements */
#include "../shared/extremes_reference.h"

int max_meta(const osw_call *call)
{
    struct osw_extremes e;

    return osw_extremes_open(call, &e, -1, -1, 0, OSW_EXTREMES_VALUES);
}

int max_reference(const osw_call *call)
{
    struct osw_extremes e;
    int rc = osw_extremes_open(call, &e, -1, -1, 0, OSW_EXTREMES_VALUES);

    return osw_extremes_reference(&e, rc);
}
