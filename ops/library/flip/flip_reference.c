/* flip - some dimensions backwards */
#include "../shared/copy_reference.h"
#include "flip.h"

int flip_meta(const osw_call *call)
{
    int rc;

    declare(call, &rc);
    return rc;
}

int flip_reference(const osw_call *call)
{
    struct osw_view from;
    int rc;
    osw_tensor *out = flip_open(call, &from, &rc);

    return rc ? rc : osw_copy_reference(call, out, &from.t);
}
