/* split_with_sizes - parts of given sizes along a dimension */
#include "../shared/copy_reference.h"
#include "declare.h"

int split_with_sizes_meta(const osw_call *call)
{
    return each(call, NULL);
}

int split_with_sizes_reference(const osw_call *call)
{
    return each(call, osw_copy_reference);
}
