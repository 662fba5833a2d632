/* ops/notation/tensor.c - sizes and layouts of tensors, from shape and strides
 * alone */
#include "ops/notation/tensor.h"

/* The dimensions that reach more than one element, smallest stride first. */
struct dims {
    int32_t n;
    int64_t size[OSW_MAX_NDIM];
    int64_t stride[OSW_MAX_NDIM];
};

static bool is_empty(int32_t ndim, const int64_t *shape)
{
    for (int32_t d = 0; d < ndim; d++)
        if (shape[d] == 0)
            return true;
    return false;
}

int64_t osw_tensor_numel(int32_t ndim, const int64_t *shape)
{
    int64_t n = 1;

    if (is_empty(ndim, shape))
        return 0;
    for (int32_t d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(n, shape[d], &n))
            return -1;
    return n;
}

int osw_tensor_contiguous(int32_t ndim, const int64_t *shape, int64_t *strides)
{
    int64_t n = 1;

    for (int32_t d = ndim - 1; d >= 0; d--) {
        strides[d] = n;
        if (__builtin_mul_overflow(n, shape[d] ? shape[d] : 1, &n))
            return -1;
    }
    return 0;
}

int64_t osw_tensor_extent(int32_t ndim, const int64_t *shape,
                          const int64_t *strides)
{
    int64_t n = 1;

    if (is_empty(ndim, shape))
        return 0;
    for (int32_t d = 0; d < ndim; d++) {
        int64_t reach;

        if (__builtin_mul_overflow(shape[d] - 1, strides[d], &reach) ||
            __builtin_add_overflow(n, reach, &n))
            return -1;
    }
    return n;
}

bool osw_tensor_is_contiguous(int32_t ndim, const int64_t *shape,
                              const int64_t *strides)
{
    int64_t want = 1;

    if (is_empty(ndim, shape))
        return true;
    for (int32_t d = ndim - 1; d >= 0; d--) {
        if (shape[d] != 1 && strides[d] != want)
            return false;
        if (__builtin_mul_overflow(want, shape[d], &want))
            return false;
    }
    return true;
}

static struct dims sort_dims(int32_t ndim, const int64_t *shape,
                             const int64_t *strides)
{
    struct dims s = {.n = 0};

    for (int32_t d = 0; d < ndim; d++) {
        int32_t k;

        if (shape[d] == 1)
            continue;
        for (k = s.n++; k > 0 && s.stride[k - 1] > strides[d]; k--) {
            s.size[k] = s.size[k - 1];
            s.stride[k] = s.stride[k - 1];
        }
        s.size[k] = shape[d];
        s.stride[k] = strides[d];
    }
    return s;
}

bool osw_tensor_may_overlap(int32_t ndim, const int64_t *shape,
                            const int64_t *strides)
{
    struct dims s = sort_dims(ndim, shape, strides);
    bool nested = true;

    if (is_empty(ndim, shape))
        return false;
    for (int32_t k = 0; k < s.n; k++)
        if (s.stride[k] == 0)
            return true;
    /* A dimension that steps over all that lies below it cannot collide. */
    for (int32_t k = 0; k < s.n; k++)
        nested &= s.stride[k] >= osw_tensor_extent(k, s.size, s.stride);
    return !nested;
}

bool osw_tensor_has_gaps(int32_t ndim, const int64_t *shape,
                         const int64_t *strides)
{
    struct dims s = sort_dims(ndim, shape, strides);

    if (is_empty(ndim, shape))
        return false;
    /* As long as the smaller strides fill [0, extent), a dimension that steps
     * no further keeps it filled; one that does leaves element `extent` out,
     * and no larger stride can come back to it.
     */
    for (int32_t k = 0; k < s.n; k++)
        if (s.stride[k] > osw_tensor_extent(k, s.size, s.stride))
            return true;
    return false;
}

int64_t osw_tensor_bytes(const struct osw_tensor_desc *desc)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)desc->dtype);
    int64_t n = osw_tensor_extent(desc->ndim, desc->shape, desc->strides);

    if (!info || n < 0 || __builtin_mul_overflow(n, (int64_t)info->bytes, &n))
        return -1;
    return n;
}

uint64_t osw_tensor_bytes_before(const struct osw_tensor_desc *desc)
{
    return (uint64_t)desc->offset * osw_dtype_info((int)desc->dtype)->bytes;
}

int64_t osw_tensor_unique_bytes(const struct osw_tensor_desc *desc)
{
    int64_t span = osw_tensor_bytes(desc), element, n;

    if (span <= 0)
        return span;
    element = (int64_t)osw_dtype_info((int)desc->dtype)->bytes;
    n = osw_tensor_numel(desc->ndim, desc->shape);
    return n >= 0 && n < span / element ? n * element : span;
}
