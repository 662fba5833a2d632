/* ops/library/triu/triu_reference.c - matrices, 0 below a diagonal */
#include "../shared/copy_reference.h"

static osw_tensor *declare(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);

    if (!self || self->ndim < 2)
        return NULL;
    return osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
}

int triu_meta(const osw_call *call)
{
    return declare(call) ? 0 : osw_error(call, "expected a matrix");
}

int triu_reference(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0);
    osw_tensor *out = declare(call);
    int64_t diagonal = osw_arg_int(call, 1, 0), rows, cols;
    int rc;

    if (!out)
        return osw_error(call, "expected a matrix");
    rc = osw_copy_reference(call, out, self);
    rows = self->shape[self->ndim - 2];
    cols = self->shape[self->ndim - 1];
    for (int64_t i = 0; i < osw_numel(out); i++)
        if (i % cols < i / cols % rows + diagonal)
            osw_set(out, i, 0.0);
    return rc;
}
