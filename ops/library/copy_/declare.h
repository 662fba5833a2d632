/* ops/library/copy_/declare.h - the output: self */
#ifndef OSW_LIBRARY_COPY_H
#define OSW_LIBRARY_COPY_H

#include "../shared/views.h"

/* The output: self. */
static inline osw_tensor *declare(const osw_call *call, int *rc)
{
    osw_tensor *out = osw_output_alias(call, 0, 0);

    *rc = out && osw_arg_tensor(call, 1) ? 0 : OSW_ERROR;
    return *rc ? NULL : out;
}

#endif
