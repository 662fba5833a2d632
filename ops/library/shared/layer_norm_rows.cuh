/* shared/layer_norm_rows.cuh - what the fast kernels of layer norm and of
 * its gradients share: rows in chunks, and vectors along them
 */
#ifndef OSW_LIBRARY_LAYER_NORM_ROWS_CUH
#define OSW_LIBRARY_LAYER_NORM_ROWS_CUH

#include "chunks.cuh"
#include "layer_norm_any.cuh"

/* Weight or bias [n]. */
struct osw_norm_vector {
    const char *data; /* NULL: a constant */
    osw_dtype dtype;
    int64_t stride;
    int whole; /* can be read in chunks, as the rows are */
};

struct osw_norm_view {
    struct osw_strided x, grad; /* where rows start */
    struct osw_norm_vector weight, bias;
    int64_t n_rows, n;
    double per_element, eps; /* 1 / n; both forward */
    int keep;                /* forward: slots in shared memory */
    char *out;               /* or dx, contiguous; NULL: not asked for */
    float *mean, *rstd;      /* [n_rows]; backward: inputs */
    float *dweight, *dbias;  /* partial sums [blocks, n]; NULL likewise */
};

/* Element i, of whatever dtype; not inlined: kernels would be hundreds of times
 * this.
 */
__device__ static __noinline__ float
osw_norm_factor(const struct osw_norm_vector &w, int64_t i)
{
    return (float)osw_load(w.dtype, w.data + i * w.stride * (w.dtype.bits / 8));
}

/* Elements of a vector from `first` on. */
template <class T, int N>
__device__ static inline void osw_norm_factors(const struct osw_norm_vector &w,
                                               int64_t first, int64_t n,
                                               float none, float (&v)[N])
{
    if (w.whole) {
        osw_chunk<T> c;

        c.raw = *(const uint4 *)((const T *)w.data + first);
        osw_chunk_to_floats(c, v);
        return;
    }
#pragma unroll
    for (int e = 0; e < N; e++) {
        v[e] = none;
        if (w.data && first + e >= 0 && first + e < n)
            v[e] = osw_norm_factor(w, first + e);
    }
}

/* Rows of t with contiguous elements: 0, or OSW_UNSUPPORTED. */
static inline int osw_norm_rows(struct osw_strided *s,
                                const struct osw_layer_norm *l,
                                const osw_tensor *t)
{
    if (osw_layer_norm_stride(l, t) != 1 && l->n > 1)
        return OSW_UNSUPPORTED;
    return osw_strided_part(s, t, 0, l->n_outer, -1);
}

static inline int osw_norm_is_whole(const struct osw_strided *s, int64_t n)
{
    int64_t per = 128 / s->dtype.bits;
    int whole = n % per == 0 && ((uintptr_t)s->data & 15) == 0;

    for (int32_t d = 0; d < s->ndim; d++)
        whole &= s->strides[d] % per == 0;
    return whole;
}

/* whole: so are the rows. */
static inline int osw_norm_vector_of(struct osw_norm_vector *w,
                                     const osw_tensor *t, osw_dtype dtype,
                                     int whole)
{
    struct osw_strided s;

    memset(w, 0, sizeof(*w));
    if (!t)
        return 0;
    if (osw_strided_of(&s, t) || s.ndim > 1)
        return OSW_UNSUPPORTED;
    w->data = s.data;
    w->dtype = s.dtype;
    w->stride = s.ndim ? s.strides[0] : 0;
    w->whole = whole && w->stride == 1 && ((uintptr_t)w->data & 15) == 0 &&
               osw_convert_same(w->dtype, dtype);
    return 0;
}

#endif /* OSW_LIBRARY_LAYER_NORM_ROWS_CUH */
