/* shared/axes.cuh - where the elements of several tensors lie
 *
 * Tensors are seen in one shape.  Its dimensions are ordered by the strides of
 * the first tensor, the one that is written, and joined where every tensor
 * is contiguous: what is left are the axes, innermost first.  A
 * path is the axes made ready for a kernel: the n-th element is found without
 * divisions.
 */
#ifndef OSW_LIBRARY_AXES_CUH
#define OSW_LIBRARY_AXES_CUH

#include "views.h"

#define OSW_AXES_TENSORS 3
#define OSW_AXES_MOST    (OSW_RULE_DIMS + 1) /* one more: bytes of an element */

struct osw_axis {
    int64_t size;
    int64_t step[OSW_AXES_TENSORS];
};

struct osw_axes {
    int n; /* at least 1 */
    int n_tensors;
    struct osw_axis axis[OSW_AXES_MOST]; /* innermost first */
};

static inline int64_t osw_axes_total(const struct osw_axes *a)
{
    int64_t total = 1;

    for (int i = 0; i < a->n; i++)
        total *= a->axis[i].size;
    return total;
}

static inline int osw_axes_follows(const struct osw_axes *a,
                                   const struct osw_axis *inner,
                                   const struct osw_axis *outer)
{
    int joined = 1;

    for (int k = 0; k < a->n_tensors; k++)
        joined &= outer->step[k] == inner->step[k] * inner->size;
    return joined;
}

/* Join neighbours; leave out axes of size 1, but for the last of them. */
static inline void osw_axes_join(struct osw_axes *a)
{
    int n = 0;

    for (int i = 0; i < a->n; i++) {
        if (a->axis[i].size == 1)
            continue;
        if (n && osw_axes_follows(a, &a->axis[n - 1], &a->axis[i]))
            a->axis[n - 1].size *= a->axis[i].size;
        else
            a->axis[n++] = a->axis[i];
    }
    a->n = n ? n : 1;
}

/* Insert an axis after those that the first tensor walks in smaller steps. */
static inline void osw_axes_insert(struct osw_axes *a,
                                   const struct osw_axis *axis)
{
    int i = a->n++;
    int64_t step = axis->step[0] < 0 ? -axis->step[0] : axis->step[0];

    for (; i > 0 && axis->size > 1; i--) {
        int64_t below = a->axis[i - 1].step[0];

        if ((below < 0 ? -below : below) <= step)
            break;
        a->axis[i] = a->axis[i - 1];
    }
    a->axis[i] = *axis;
}

/* The axes of t[0 .. n), broadcast to `shape`, in steps of `unit` per element
 * (1, or the size of an element for steps in bytes).  No size may be 0.
 */
static inline void osw_axes_of(struct osw_axes *a, int32_t ndim,
                               const int64_t *shape, const osw_tensor *const *t,
                               int n, int64_t unit)
{
    const struct osw_axis one = {1, {0}};

    a->n = 0;
    a->n_tensors = n;
    a->axis[0] = one; /* of a tensor without dimensions */
    for (int32_t d = ndim - 1; d >= 0; d--) {
        struct osw_axis axis = {shape[d], {0}};

        for (int k = 0; k < n; k++) {
            int32_t lead = ndim - t[k]->ndim;

            if (d >= lead && t[k]->shape[d - lead] != 1)
                axis.step[k] = t[k]->strides[d - lead] * unit;
        }
        if (axis.size > 1)
            osw_axes_insert(a, &axis);
    }
    osw_axes_join(a);
}

/* As osw_axes_of() in bytes; the innermost axis is a run of bytes. */
static inline void osw_axes_of_bytes(struct osw_axes *a, int32_t ndim,
                                     const int64_t *shape,
                                     const osw_tensor *const *t, int n)
{
    struct osw_axis bytes = {t[0]->dtype.bits / 8, {1, 1, 1}};

    osw_axes_of(a, ndim, shape, t, n, bytes.size);
    if (osw_axes_follows(a, &bytes, &a->axis[0])) {
        bytes.size *= a->axis[0].size;
    } else if (a->axis[0].size > 1) {
        for (int i = a->n++; i > 0; i--)
            a->axis[i] = a->axis[i - 1];
    }
    a->axis[0] = bytes;
}

/* --- paths --- */

OSW_HD static inline uint32_t osw_path_high(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

OSW_HD static inline uint64_t osw_path_high(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)((unsigned __int128)a * b >> 64);
#endif
}

/* N tensors over at most D axes.  I counts elements: at most 2^31 of them in
 * 32 bits, 2^63 in 64.
 */
template <class I, int N, int D> struct osw_path {
    int32_t n;
    int32_t shift[D];
    I magic[D]; /* n / size = high half of n * magic, >> shift */
    I size[D];
    int64_t step[D][N];
};

/* With s bits to hold size - 1 (s >= 1) and w those of I, magic is
 * 2^(w - 1 + s) / size, rounded up: below 2^w, and exact for n < 2^(w - 1).
 */
template <class I, int N, int D>
static int osw_path_of(osw_path<I, N, D> *p, const struct osw_axes *a)
{
    const int w = 8 * (int)sizeof(I);

    if (a->n > D)
        return 0;
    p->n = a->n;
    for (int d = 0; d < a->n; d++) {
        uint64_t size = (uint64_t)a->axis[d].size;
        int s = size > 1 ? 64 - __builtin_clzll(size - 1) : 1;
        unsigned __int128 top = (unsigned __int128)1 << (w - 1 + s);

        p->size[d] = (I)size;
        p->shift[d] = s - 1;
        p->magic[d] = (I)((top + size - 1) / size);
        for (int k = 0; k < N; k++)
            p->step[d][k] = a->axis[d].step[k];
    }
    return 1;
}

/* at[k]: the place of element `i` in tensor k.  Returns its index along the
 * innermost axis.
 */
template <class I, int N, int D>
OSW_HD I osw_path_at(const osw_path<I, N, D> &p, I i, int64_t *at)
{
    I inner = i;
    int d = 0;

    for (int k = 0; k < N; k++)
        at[k] = 0;
#pragma unroll 1
    for (; d < p.n - 1; d++) {
        I next = osw_path_high(i, p.magic[d]) >> p.shift[d];
        I index = i - next * p.size[d];

        if (d == 0)
            inner = index;
        for (int k = 0; k < N; k++)
            at[k] += (int64_t)index * p.step[d][k];
        i = next;
    }
    for (int k = 0; k < N; k++)
        at[k] += (int64_t)i * p.step[d][k];
    return inner;
}

#endif /* OSW_LIBRARY_AXES_CUH */
