/* unbind.int - the slices along a dimension */
#include "../shared/copy_reference.h"
#include "declare.h"

int unbind__int_meta(const osw_call *call)
{
    return each(call, NULL);
}

int unbind__int_reference(const osw_call *call)
{
    return each(call, osw_copy_reference);
}
