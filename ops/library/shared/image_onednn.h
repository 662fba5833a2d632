/* shared/image_onednn.h - images as arguments of oneDNN */
#ifndef OSW_LIBRARY_IMAGE_ONEDNN_H
#define OSW_LIBRARY_IMAGE_ONEDNN_H

#include "level.h"

#include "image.h"
#include "onednn.h"

/* The next argument: [n, c, y, x]. */
static inline void osw_onednn_image(struct osw_onednn *o, int name,
                                    const struct osw_image *m)
{
    int64_t shape[4] = {m->n, m->c, m->y, m->x}, steps[4];

    for (int d = 0; d < 4; d++) {
        if (m->step[d] == 0 && shape[d] > 1)
            o->rc = OSW_UNSUPPORTED;
        steps[d] = shape[d] == 1 ? 1 : m->step[d];
    }
    osw_onednn_arg(o, name, m->dtype, m->data, 4, shape, steps);
}

/* Do two images of one shape lie alike?  oneDNN has one layout for both. */
static inline int osw_onednn_alike(const struct osw_image *a,
                                   const struct osw_image *b)
{
    return memcmp(a->step, b->step, sizeof(a->step)) == 0;
}

#endif /* OSW_LIBRARY_IMAGE_ONEDNN_H */
