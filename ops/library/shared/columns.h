/* shared/columns.h - windows of images as columns: im2col and col2im, in C and
 * in kernels
 *
 * columns [n, c * kernel y * kernel x, places y * places x]
 */
#ifndef OSW_LIBRARY_COLUMNS_H
#define OSW_LIBRARY_COLUMNS_H

#include "image.h"

struct osw_columns {
    struct osw_image image;
    struct osw_image columns; /* y: the rows, x: the places; c is 1 */
    int64_t kernel[2], dilation[2], pad[2], stride[2];
    int64_t places[2]; /* of windows: [y, x] */
};

/* Row r of the columns is element (c, y, x) of each window. */
OSW_HD static inline struct osw_spot
osw_columns_row(const struct osw_columns *k, int64_t r)
{
    struct osw_spot s;

    s.n = 0;
    s.x = r % k->kernel[1];
    r /= k->kernel[1];
    s.y = r % k->kernel[0];
    s.c = r / k->kernel[0];
    return s;
}

/* Where element i of the window at `place` lies along an axis of the image;
 * may be outside.
 */
OSW_HD static inline int64_t osw_columns_place(const struct osw_columns *k,
                                               int axis, int64_t place,
                                               int64_t i)
{
    return place * k->stride[axis] - k->pad[axis] + i * k->dilation[axis];
}

/* The window whose element i lies at `at`; -1: there is none. */
OSW_HD static inline int64_t osw_columns_window(const struct osw_columns *k,
                                                int axis, int64_t at, int64_t i)
{
    int64_t from = at + k->pad[axis] - i * k->dilation[axis];

    if (from < 0 || from % k->stride[axis] != 0 ||
        from / k->stride[axis] >= k->places[axis])
        return -1;
    return from / k->stride[axis];
}

OSW_HD static inline int osw_columns_inside(const struct osw_columns *k,
                                            int64_t y, int64_t x)
{
    return y >= 0 && y < k->image.y && x >= 0 && x < k->image.x;
}

/* --- arguments --- */

/* kernel_size, dilation, padding and stride from argument `at` on. */
static inline int osw_columns_read(const osw_call *call, struct osw_columns *k,
                                   int at)
{
    int bad = osw_image_pair(call, at, NULL, k->kernel) ||
              osw_image_pair(call, at + 1, NULL, k->dilation) ||
              osw_image_pair(call, at + 2, NULL, k->pad) ||
              osw_image_pair(call, at + 3, NULL, k->stride);

    for (int i = 0; !bad && i < 2; i++)
        bad = k->kernel[i] < 1 || k->dilation[i] < 1 || k->pad[i] < 0 ||
              k->stride[i] < 1;
    return bad ? osw_error(call, "kernel_size, dilation, padding or stride is "
                                 "no pair of fitting integers")
               : 0;
}

static inline int osw_columns_places(const osw_call *call,
                                     struct osw_columns *k, const int64_t *size)
{
    for (int i = 0; i < 2; i++) {
        int64_t room =
            size[i] + 2 * k->pad[i] - k->dilation[i] * (k->kernel[i] - 1) - 1;

        if (room < 0)
            return osw_error(call, "the image is smaller than a window");
        k->places[i] = room / k->stride[i] + 1;
    }
    return 0;
}

/* [rows, places] or [n, rows, places] */
static inline void osw_columns_image(struct osw_image *m, const osw_tensor *t)
{
    int32_t d = t->ndim;

    m->data = (char *)osw_data(t);
    m->dtype = t->dtype;
    m->n = d == 3 ? t->shape[0] : 1;
    m->step[0] = d == 3 ? t->strides[0] : 0;
    m->c = 1;
    m->step[1] = 0;
    m->y = t->shape[d - 2];
    m->step[2] = t->strides[d - 2];
    m->x = t->shape[d - 1];
    m->step[3] = t->strides[d - 1];
}

/* (self, kernel_size, dilation, padding, stride) -> columns */
static inline int osw_columns_open(const osw_call *call, struct osw_columns *k)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[3];
    int32_t lead;
    osw_tensor *out;

    if (!x || (x->ndim != 3 && x->ndim != 4))
        return osw_error(call, "expected a tensor of 3 or 4 dimensions");
    if (!osw_image_is_float(x) || osw_image_of(&k->image, x))
        return OSW_UNSUPPORTED;
    lead = x->ndim - 3;
    if (osw_columns_read(call, k, 1) ||
        osw_columns_places(call, k, x->shape + lead + 1))
        return OSW_ERROR;
    shape[0] = k->image.n;
    shape[lead] = k->image.c * k->kernel[0] * k->kernel[1];
    shape[lead + 1] = k->places[0] * k->places[1];
    out = osw_output(call, 0, x->dtype, lead + 2, shape, NULL);
    if (out)
        osw_columns_image(&k->columns, out);
    return out ? 0 : OSW_ERROR;
}

/* (self, output_size, kernel_size, dilation, padding, stride) -> image */
static inline int osw_columns_open_back(const osw_call *call,
                                        struct osw_columns *k)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[4], size[2], window;
    int32_t lead;
    osw_tensor *out;

    if (!x || (x->ndim != 2 && x->ndim != 3))
        return osw_error(call, "expected a tensor of 2 or 3 dimensions");
    if (!osw_image_is_float(x))
        return OSW_UNSUPPORTED;
    if (osw_image_pair(call, 1, NULL, size))
        return osw_error(call, "expected an output_size of two");
    if (osw_columns_read(call, k, 2) || osw_columns_places(call, k, size))
        return OSW_ERROR;
    osw_columns_image(&k->columns, x);
    window = k->kernel[0] * k->kernel[1];
    if (k->columns.y % window != 0 ||
        k->columns.x != k->places[0] * k->places[1])
        return osw_error(call, "the columns are not those of such an image");
    lead = x->ndim - 2;
    shape[0] = k->columns.n;
    shape[lead] = k->columns.y / window;
    shape[lead + 1] = size[0];
    shape[lead + 2] = size[1];
    out = osw_output(call, 0, x->dtype, lead + 3, shape, NULL);
    return out ? osw_image_of(&k->image, out) : OSW_ERROR;
}

#endif /* OSW_LIBRARY_COLUMNS_H */
