/* shared/image.h - a tensor as images [n, c, y, x], in C and in kernels
 *
 * By value, with strides, so that kernels take it as it is.  Normalisation over
 * channels sees tensors of 2 to 5 dimensions this way, pooling and resampling
 * those of 3 and 4.
 */
#ifndef OSW_LIBRARY_IMAGE_H
#define OSW_LIBRARY_IMAGE_H

#include <math.h>
#include <opsweep/elements.h>

struct osw_image {
    char *data;
    osw_dtype dtype;
    int64_t n, c, y, x; /* sizes */
    int64_t step[4];    /* in elements, of the same order */
};

/* Where an element is. */
struct osw_spot {
    int64_t n, c, y, x;
};

static inline int osw_image_is_float(const osw_tensor *t)
{
    return t->dtype.code == OSW_FLOAT || t->dtype.code == OSW_BFLOAT;
}

static inline int osw_image_same_shape(const osw_tensor *a, const osw_tensor *b)
{
    int same = a->ndim == b->ndim;

    for (int32_t d = 0; same && d < a->ndim; d++)
        same = a->shape[d] == b->shape[d];
    return same;
}

/* [c, y, x] or [n, c, y, x]; 0, or OSW_UNSUPPORTED. */
static inline int osw_image_of(struct osw_image *m, const osw_tensor *t)
{
    int64_t *size[4] = {&m->n, &m->c, &m->y, &m->x};
    int32_t lead = 4 - t->ndim;

    if (lead < 0 || lead > 1)
        return OSW_UNSUPPORTED;
    m->data = (char *)osw_data(t);
    m->dtype = t->dtype;
    m->n = 1;
    m->step[0] = 0;
    for (int32_t d = 0; d < t->ndim; d++) {
        *size[lead + d] = t->shape[d];
        m->step[lead + d] = t->strides[d];
    }
    if (m->x == 1)
        m->step[3] = m->step[2];
    return 0;
}

/* [n, c] and up to three dimensions after them, of which the first two are
 * joined.  0, or OSW_UNSUPPORTED.
 */
static inline int osw_image_joined(struct osw_image *m, const osw_tensor *t)
{
    int32_t k = t->ndim;
    int64_t inner = k == 5 ? t->shape[3] : 1;

    if (k < 2 || k > 5)
        return OSW_UNSUPPORTED;
    m->data = (char *)osw_data(t);
    m->dtype = t->dtype;
    m->n = t->shape[0];
    m->c = t->shape[1];
    m->y = k > 3 ? t->shape[2] * inner : 1;
    m->x = k > 2 ? t->shape[k - 1] : 1;
    m->step[0] = t->strides[0];
    m->step[1] = t->strides[1];
    m->step[2] = k > 3 ? t->strides[k - 2] : 0;
    m->step[3] = k > 2 ? t->strides[k - 1] : 0;
    if (k == 5 && inner == 1)
        m->step[2] = t->strides[2];
    if (m->x == 1)
        m->step[3] = m->step[2];
    return k == 5 && inner != 1 && t->shape[2] != 1 &&
                   t->strides[2] != t->strides[3] * inner
               ? OSW_UNSUPPORTED
               : 0;
}

/* Number of elements. */
OSW_HD static inline int64_t osw_image_numel(const struct osw_image *m)
{
    return m->n * m->c * m->y * m->x;
}

/* The i-th element, in row-major order. */
OSW_HD static inline struct osw_spot osw_image_spot(const struct osw_image *m,
                                                    int64_t i)
{
    struct osw_spot s;

    s.x = i % m->x;
    i /= m->x;
    s.y = i % m->y;
    i /= m->y;
    s.c = i % m->c;
    s.n = i / m->c;
    return s;
}

OSW_HD static inline int64_t osw_image_offset(const struct osw_image *m,
                                              int64_t n, int64_t c, int64_t y,
                                              int64_t x)
{
    return n * m->step[0] + c * m->step[1] + y * m->step[2] + x * m->step[3];
}

OSW_HD static inline char *osw_image_at(const struct osw_image *m,
                                        int64_t offset)
{
    return m->data + offset * (int64_t)(m->dtype.bits / 8);
}

OSW_HD static inline double osw_image_get(const struct osw_image *m, int64_t n,
                                          int64_t c, int64_t y, int64_t x)
{
    return osw_load(m->dtype, osw_image_at(m, osw_image_offset(m, n, c, y, x)));
}

/* --- vectors: one number for each channel --- */

struct osw_channels {
    char *data; /* NULL: there is none */
    osw_dtype dtype;
    int64_t step;
};

/* t: NULL or of n numbers.  0, or OSW_UNSUPPORTED. */
static inline int osw_channels_of(struct osw_channels *v, const osw_tensor *t)
{
    v->data = t ? (char *)osw_data(t) : NULL;
    v->step = t && t->ndim == 1 ? t->strides[0] : 1;
    if (t)
        v->dtype = t->dtype;
    return t && t->ndim != 1 && !osw_is_contiguous(t) ? OSW_UNSUPPORTED : 0;
}

OSW_HD static inline double osw_channels_get(const struct osw_channels *v,
                                             int64_t c, double none)
{
    if (!v->data)
        return none;
    return osw_load(v->dtype,
                    v->data + c * v->step * (int64_t)(v->dtype.bits / 8));
}

OSW_HD static inline void osw_channels_set(const struct osw_channels *v,
                                           int64_t c, double value)
{
    osw_store(v->dtype, v->data + c * v->step * (int64_t)(v->dtype.bits / 8),
              value);
}

/* --- lists of two integers --- */

/* [y, x], or one for both; an empty list gives none[2].  0, or -1. */
static inline int osw_image_pair(const osw_call *call, int i,
                                 const int64_t *none, int64_t *pair)
{
    const osw_arg *a = osw_arg_at(call, i);

    if (a->tag == OSW_ARG_INT) {
        pair[0] = pair[1] = a->u.i;
        return 0;
    }
    if (a->tag == OSW_ARG_NONE || (a->tag == OSW_ARG_LIST && a->n == 0)) {
        pair[0] = none ? none[0] : 0;
        pair[1] = none ? none[1] : 0;
        return none ? 0 : -1;
    }
    if (a->tag != OSW_ARG_LIST || a->n > 2)
        return -1;
    for (uint32_t k = 0; k < 2; k++) {
        const osw_arg *item = &a->u.items[a->n == 2 ? k : 0];

        if (item->tag != OSW_ARG_INT)
            return -1;
        pair[k] = item->u.i;
    }
    return 0;
}

#endif /* OSW_LIBRARY_IMAGE_H */
