/* shared/separable.h - images of which each element is a weighted sum over a
 * rectangle of another, with weights that are products of one for each axis
 *
 * What place o of an axis takes is the same for all planes: `n` elements from
 * `first` on.  The gradient adds up the same products the other way round.
 */
#ifndef OSW_LIBRARY_SEPARABLE_H
#define OSW_LIBRARY_SEPARABLE_H

#include "image.h"

enum osw_separable_way {
    OSW_SEPARABLE_LINEAR,  /* between two neighbours */
    OSW_SEPARABLE_AVERAGE, /* of all elements from o / out to (o + 1) / out */
    OSW_SEPARABLE_MIRROR,  /* elements beyond an edge are those before it */
};

struct osw_separable_axis {
    enum osw_separable_way way;
    int64_t in, out; /* sizes */
    double scale;    /* LINEAR: elements of `in` to one of `out` */
    int align;       /* LINEAR: corners lie upon corners */
    int64_t before;  /* MIRROR: places before the first element, may be < 0 */
};

struct osw_separable {
    struct osw_image in, out;
    struct osw_separable_axis y, x;
};

struct osw_separable_taps {
    int64_t first, n;
    double weight[2]; /* of the first element, of each later one */
};

/* Places that take an element are at most so many ranges. */
enum { OSW_SEPARABLE_PARTS = 3 };

OSW_HD static inline struct osw_separable_taps
osw_separable_linear(const struct osw_separable_axis *a, int64_t o)
{
    struct osw_separable_taps t = {0, 1, {1.0, 0.0}};
    double place =
        a->align ? a->scale * (double)o : a->scale * ((double)o + 0.5) - 0.5;

    place = place < 0.0 ? 0.0 : place;
    t.first = (int64_t)place < a->in ? (int64_t)place : a->in - 1;
    if (t.first < a->in - 1) {
        t.n = 2;
        t.weight[1] = place - (double)t.first;
        t.weight[0] = 1.0 - t.weight[1];
    }
    return t;
}

OSW_HD static inline struct osw_separable_taps
osw_separable_average(const struct osw_separable_axis *a, int64_t o)
{
    struct osw_separable_taps t;

    t.first = o * a->in / a->out;
    t.n = ((o + 1) * a->in + a->out - 1) / a->out - t.first;
    t.weight[0] = t.weight[1] = 1.0 / (double)t.n;
    return t;
}

OSW_HD static inline struct osw_separable_taps
osw_separable_mirror(const struct osw_separable_axis *a, int64_t o)
{
    struct osw_separable_taps t = {o - a->before, 1, {1.0, 0.0}};

    if (t.first < 0)
        t.first = -t.first;
    if (t.first >= a->in)
        t.first = 2 * (a->in - 1) - t.first;
    return t;
}

OSW_HD static inline struct osw_separable_taps
osw_separable_taps_of(const struct osw_separable_axis *a, int64_t o)
{
    return a->way == OSW_SEPARABLE_LINEAR    ? osw_separable_linear(a, o)
           : a->way == OSW_SEPARABLE_AVERAGE ? osw_separable_average(a, o)
                                             : osw_separable_mirror(a, o);
}

/* What place o takes of element i. */
OSW_HD static inline double
osw_separable_share(const struct osw_separable_axis *a, int64_t o, int64_t i)
{
    struct osw_separable_taps t = osw_separable_taps_of(a, o);
    int64_t k = i - t.first;

    return k < 0 || k >= t.n ? 0.0 : t.weight[k > 0];
}

/* LINEAR and AVERAGE: the first place whose last (else first) element is at
 * least i.
 */
OSW_HD static inline int64_t
osw_separable_search(const struct osw_separable_axis *a, int64_t i, int last)
{
    int64_t low = 0, high = a->out;

    while (low < high) {
        int64_t middle = (low + high) / 2;
        struct osw_separable_taps t = osw_separable_taps_of(a, middle);

        if (t.first + (last ? t.n - 1 : 0) >= i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Places [*from, *to) that take element i: one of OSW_SEPARABLE_PARTS ranges,
 * which may be empty.
 */
OSW_HD static inline void
osw_separable_takers(const struct osw_separable_axis *a, int64_t i, int part,
                     int64_t *from, int64_t *to)
{
    *from = *to = 0;
    if (a->way != OSW_SEPARABLE_MIRROR) {
        if (part > 0)
            return;
        *from = osw_separable_search(a, i, 1);
        *to = osw_separable_search(a, i + 1, 0);
        return;
    }
    if ((part == 1 && i == 0) || (part == 2 && i == a->in - 1))
        return; /* an edge is not its own image */
    *from = a->before + (part == 0 ? i : part == 1 ? -i : 2 * (a->in - 1) - i);
    *to = *from + 1;
    if (*from < 0 || *from >= a->out)
        *from = *to = 0;
}

/* --- one element, in double; *squares: of its terms --- */

/* Of the output. */
OSW_HD static inline double osw_separable_at(const struct osw_separable *s,
                                             int64_t i, double *squares)
{
    struct osw_spot at = osw_image_spot(&s->out, i);
    struct osw_separable_taps ty = osw_separable_taps_of(&s->y, at.y);
    struct osw_separable_taps tx = osw_separable_taps_of(&s->x, at.x);
    double sum = 0.0;

    for (int64_t y = 0; y < ty.n; y++)
        for (int64_t x = 0; x < tx.n; x++) {
            double v =
                osw_image_get(&s->in, at.n, at.c, ty.first + y, tx.first + x);

            v *= ty.weight[y > 0] * tx.weight[x > 0];
            sum += v;
            *squares += v * v;
        }
    return sum;
}

/* What the gradients of row y of the output add to element at.x. */
OSW_HD static inline double
osw_separable_row_back(const struct osw_separable *s, struct osw_spot at,
                       int64_t y, double share, double *squares)
{
    double sum = 0.0;

    for (int part = 0; part < OSW_SEPARABLE_PARTS; part++) {
        int64_t from, to;

        osw_separable_takers(&s->x, at.x, part, &from, &to);
        for (int64_t x = from; x < to; x++) {
            double v = osw_image_get(&s->out, at.n, at.c, y, x) * share *
                       osw_separable_share(&s->x, x, at.x);

            sum += v;
            *squares += v * v;
        }
    }
    return sum;
}

/* Of the gradient of the input; s->out is the gradient of the output. */
OSW_HD static inline double osw_separable_back_at(const struct osw_separable *s,
                                                  int64_t i, double *squares)
{
    struct osw_spot at = osw_image_spot(&s->in, i);
    double sum = 0.0;

    for (int part = 0; part < OSW_SEPARABLE_PARTS; part++) {
        int64_t from, to;

        osw_separable_takers(&s->y, at.y, part, &from, &to);
        for (int64_t y = from; y < to; y++)
            sum += osw_separable_row_back(
                s, at, y, osw_separable_share(&s->y, y, at.y), squares);
    }
    return sum;
}

/* --- both images --- */

/* The ways and their numbers are in s->y and s->x.  0, or OSW_UNSUPPORTED. */
static inline int osw_separable_images(struct osw_separable *s,
                                       const osw_tensor *in,
                                       const osw_tensor *out)
{
    if (osw_image_of(&s->in, in) || osw_image_of(&s->out, out))
        return OSW_UNSUPPORTED;
    s->y.in = s->in.y;
    s->y.out = s->out.y;
    s->x.in = s->in.x;
    s->x.out = s->out.x;
    return 0;
}

#endif /* OSW_LIBRARY_SEPARABLE_H */
