/* above_reference.c */
#include "above.h"

EXPORT int above_reference(const osw_call *call)
{
    return above_run(call, 0);
}
