/* shared/triangle_reference.h - matrices, 0 beyond a diagonal */
#ifndef OSW_LIBRARY_TRIANGLE_REFERENCE_H
#define OSW_LIBRARY_TRIANGLE_REFERENCE_H

#include "copy_reference.h"
#include "triangle.h"

static inline int osw_triangle_meta(const osw_call *call,
                                    enum osw_triangle_part part)
{
    struct osw_triangle t = {0};

    return osw_triangle_open(call, &t, part);
}

static inline int osw_triangle_reference(const osw_call *call,
                                         enum osw_triangle_part part)
{
    struct osw_triangle t = {0};
    int rc = osw_triangle_open(call, &t, part);

    if (!rc)
        rc = osw_copy_reference(call, t.out, t.self);
    if (rc)
        return rc;
    for (int64_t i = 0; i < osw_numel(t.out); i++) {
        int64_t right = i % t.cols - i / t.cols % t.rows - t.diagonal;

        if (part == OSW_TRIANGLE_LOWER ? right > 0 : right < 0)
            osw_set(t.out, i, 0.0);
    }
    return 0;
}

#endif /* OSW_LIBRARY_TRIANGLE_REFERENCE_H */
