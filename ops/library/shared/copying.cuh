/* shared/copying.cuh - copies, fills and parts, on the device
 *
 * Same dtypes keep their bits: they go through tiles where that transposes,
 * else through boxes.  Other dtypes are converted as elements.
 */
#ifndef OSW_LIBRARY_COPYING_CUH
#define OSW_LIBRARY_COPYING_CUH

#include "boxes.cuh"
#include "tiles.cuh"

/* Smaller parts are worth no launch of their own. */
#define OSW_COPY_TILES_LEAST (1 << 18)

/* to[...] = from[...], of one dtype. */
static inline int osw_copy_same(const osw_call *call, const osw_tensor *to,
                                const osw_tensor *from)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    struct osw_boxes list;
    int rc;

    if (!osw_rule_same(to->dtype, from->dtype))
        return OSW_UNSUPPORTED;
    if (!osw_view_fits(to, from))
        return osw_error(call, "source does not broadcast to the target");
    rc = osw_tiles_copy(to, from, stream);
    if (rc != OSW_UNSUPPORTED)
        return rc;
    osw_boxes_clear(&list, to->dtype, 0.0);
    rc = osw_boxes_add(&list, to, from, stream);
    return rc ? rc : osw_boxes_launch(&list, stream);
}

/* One of several parts: at once where it transposes, else into the list. */
static inline int osw_copy_part(struct osw_boxes *list, const osw_tensor *to,
                                const osw_tensor *from, cudaStream_t stream)
{
    int rc = OSW_UNSUPPORTED;

    if (osw_numel(to) >= OSW_COPY_TILES_LEAST)
        rc = osw_tiles_copy(to, from, stream);
    return rc == OSW_UNSUPPORTED ? osw_boxes_add(list, to, from, stream) : rc;
}

/* Fill what lies around a part of t: of `length` along every dimension, from
 * `first` on.  For each dimension, what is before and what is after it, as
 * far as the part reaches in the dimensions that are done.
 */
static inline int osw_copy_around(struct osw_boxes *list, const osw_tensor *t,
                                  const int64_t *first, const int64_t *length,
                                  cudaStream_t stream)
{
    struct osw_view left, v;
    int rc = 0;

    osw_view_of(&left, t);
    for (int32_t d = 0; d < t->ndim && !rc; d++) {
        int64_t end = first[d] + length[d];

        osw_view_of(&v, &left.t);
        osw_view_narrow(&v, d, 0, first[d]);
        rc = osw_boxes_add(list, &v.t, NULL, stream);
        osw_view_of(&v, &left.t);
        osw_view_narrow(&v, d, end, left.shape[d] - end);
        rc = rc ? rc : osw_boxes_add(list, &v.t, NULL, stream);
        osw_view_narrow(&left, d, first[d], length[d]);
    }
    return rc;
}

/* out, contiguous: `from` in the part that starts at place's first element
 * and has `length` of it, `value` elsewhere.
 */
static inline int osw_copy_embed(const osw_call *call, const osw_tensor *out,
                                 const struct osw_view *place,
                                 const int64_t *length, const osw_tensor *from,
                                 struct osw_element value)
{
    cudaStream_t stream = (cudaStream_t)call->stream;
    int64_t first[OSW_RULE_DIMS];
    int64_t at = (int64_t)(place->t.byte_offset - out->byte_offset) /
                 (out->dtype.bits / 8);
    struct osw_boxes list;
    int rc;

    osw_boxes_clear_with(&list, out->dtype, value);
    if (osw_numel(from) == 0) {
        rc = osw_boxes_add(&list, out, NULL, stream);
        return rc ? rc : osw_boxes_launch(&list, stream);
    }
    for (int32_t d = out->ndim - 1; d >= 0; d--) {
        first[d] = at % out->shape[d];
        at /= out->shape[d];
    }
    rc = osw_copy_part(&list, &place->t, from, stream);
    if (!rc)
        rc = osw_copy_around(&list, out, first, length, stream);
    return rc ? rc : osw_boxes_launch(&list, stream);
}

#endif /* OSW_LIBRARY_COPYING_CUH */
