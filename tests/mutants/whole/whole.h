/* whole.h - what the implementations of this op share: i32 from f32 toward
 * zero, from i64 the lower half */
#ifndef OSW_TESTS_WHOLE_H
#define OSW_TESTS_WHOLE_H

#include "../cast/cast.h"

EXPORT int whole_kernel_impl(const osw_call *call);

/* An implementation from what happens to one element: void one(g, i). */
#define WHOLE_ELEMENTS(one)                                                    \
    EACH(one, struct cast)                                                     \
    int whole_kernel_impl(const osw_call *call)                                \
    {                                                                          \
        struct cast g;                                                         \
        int rc = cast_open(call, &g);                                          \
                                                                               \
        if (!rc)                                                               \
            one##_each(call, &g, g.n);                                         \
        return rc;                                                             \
    }

#endif /* OSW_TESTS_WHOLE_H */
