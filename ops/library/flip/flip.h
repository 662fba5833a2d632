/* ops/library/flip/flip.h - the arguments of flip, opened */
#ifndef OSW_LIBRARY_FLIP_H
#define OSW_LIBRARY_FLIP_H

#include "../clone/declare.h"

/* The output, and self with some dimensions backwards; *rc is not 0 where it
 * cannot be done.
 */
static inline osw_tensor *flip_open(const osw_call *call, struct osw_view *from,
                                    int *rc)
{
    int64_t dims[OSW_RULE_DIMS];
    int32_t n = osw_view_list(call, 1, dims, OSW_RULE_DIMS), i, d;
    osw_tensor *out = declare(call, rc);

    if (!out)
        return NULL;
    if (n < 0 || !osw_view_of(from, osw_arg_tensor(call, 0))) {
        *rc = OSW_UNSUPPORTED;
        return NULL;
    }
    for (i = 0; i < n; i++) {
        d = osw_view_dim(dims[i], from->t.ndim);
        if (d < 0) {
            *rc = osw_error(call, "no such dimension to flip");
            return NULL;
        }
        osw_view_flip(from, d);
    }
    return out;
}

#endif
