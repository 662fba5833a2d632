/* ops/library/cumsum/cumsum.h - (self, dim, dtype): sums of the elements so
 * far; integers and bool become i64
 */
#ifndef OSW_LIBRARY_CUMSUM_H
#define OSW_LIBRARY_CUMSUM_H

#include "../shared/convert.h"
#include "../shared/rows.h"

struct osw_cumsum {
    struct osw_rows x, out;
    int is_float; /* the output */
};

static inline int osw_cumsum_open(const osw_call *call, struct osw_cumsum *c)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_arg *dtype = osw_arg_at(call, 2);
    osw_tensor *out;
    osw_dtype t;
    int32_t dim;

    if (!x)
        return osw_error(call, "expected a tensor");
    dim = osw_rows_dim(osw_arg_int(call, 1, 0), x->ndim);
    if (dim < 0)
        return osw_error(call, "no such dimension");
    t = osw_rows_is_float(x) ? x->dtype : osw_rows_i64();
    if (dtype->tag == OSW_ARG_DTYPE)
        t = dtype->u.dtype;
    c->is_float = t.code == OSW_FLOAT || t.code == OSW_BFLOAT;
    if (x->dtype.code == OSW_COMPLEX || osw_rows_narrows(x, t) ||
        (!c->is_float && (t.code != OSW_INT || t.bits != 64)))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, t, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    c->x = osw_rows_of(x, dim);
    c->out = osw_rows_of(out, dim);
    return 0;
}

#endif /* OSW_LIBRARY_CUMSUM_H */
