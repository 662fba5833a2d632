/* shared/boxes.cuh - several copies and fills of parts, in one launch
 *
 * A box is a part of a tensor that is copied from another tensor of its dtype,
 * broadcast, or filled with a constant.  A box is moved in words, the largest
 * of up to 16 bytes that its addresses, strides and innermost run allow.  All
 * boxes of a list go into one launch, each with blocks of its own.
 */
#ifndef OSW_LIBRARY_BOXES_CUH
#define OSW_LIBRARY_BOXES_CUH

#include "axes.cuh"
#include "element.h"

#define OSW_BOXES_MOST    12
#define OSW_BOXES_AXES    6
#define OSW_BOXES_THREADS 256

struct osw_box {
    struct osw_axes axes; /* steps in bytes; the innermost size in words */
    char *to;
    const char *from; /* NULL: the pattern */
    int word;         /* bytes */
    int64_t n;        /* words */
};

struct osw_boxes {
    int n;
    alignas(16) unsigned char pattern[16];
    struct osw_box box[OSW_BOXES_MOST];
};

/* Words in flight per thread, at most: more of the small ones. */
OSW_HD static constexpr int osw_boxes_depth(int word)
{
    return word > 4 ? 4 : 8;
}

/* --- on the device --- */

template <class I> struct osw_boxes_one {
    char *to;
    const char *from;
    I n;
    uint32_t first_block;
    int32_t word, depth;
    osw_path<I, 2, OSW_BOXES_AXES> path;
};

template <class I> struct osw_boxes_job {
    alignas(16) unsigned char pattern[16];
    int32_t n;
    struct osw_boxes_one<I> box[OSW_BOXES_MOST];
};

template <class W, class I>
__device__ void osw_boxes_move(const osw_boxes_one<I> &box, const void *pattern,
                               I start)
{
    constexpr int U = osw_boxes_depth(sizeof(W));
    int64_t at[U][2];
    W v[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
        I i = start + (I)(u * OSW_BOXES_THREADS);

        if (u >= box.depth || i >= box.n)
            continue;
        osw_path_at(box.path, i, at[u]);
        v[u] = *(const W *)(box.from ? box.from + at[u][1] : pattern);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        I i = start + (I)(u * OSW_BOXES_THREADS);

        if (u < box.depth && i < box.n)
            *(W *)(box.to + at[u][0]) = v[u];
    }
}

template <class I>
__global__ void __launch_bounds__(OSW_BOXES_THREADS)
    osw_boxes_kernel(const __grid_constant__ osw_boxes_job<I> job)
{
    int b = 0;
    I start;

    while (b + 1 < job.n && blockIdx.x >= job.box[b + 1].first_block)
        b++;
    start = (I)(blockIdx.x - job.box[b].first_block) *
                (I)(job.box[b].depth * OSW_BOXES_THREADS) +
            (I)threadIdx.x;
    if (job.box[b].word == 16)
        osw_boxes_move<uint4>(job.box[b], job.pattern, start);
    else if (job.box[b].word == 8)
        osw_boxes_move<uint64_t>(job.box[b], job.pattern, start);
    else if (job.box[b].word == 4)
        osw_boxes_move<uint32_t>(job.box[b], job.pattern, start);
    else if (job.box[b].word == 2)
        osw_boxes_move<uint16_t>(job.box[b], job.pattern, start);
    else
        osw_boxes_move<uint8_t>(job.box[b], job.pattern, start);
}

/* --- on the host --- */

/* No boxes; `value` is what fills will write, an element of dtype t. */
static inline void osw_boxes_clear_with(struct osw_boxes *list, osw_dtype t,
                                        struct osw_element value)
{
    int size = t.bits / 8;

    list->n = 0;
    memcpy(list->pattern, value.words, (size_t)size);
    for (int i = size; i < 16; i++)
        list->pattern[i] = list->pattern[i - size];
}

static inline void osw_boxes_clear(struct osw_boxes *list, osw_dtype t,
                                   double value)
{
    osw_boxes_clear_with(list, t, osw_element_of(t, value));
}

static inline int osw_boxes_word(const struct osw_box *b)
{
    uint64_t all = 16 | (uint64_t)(uintptr_t)b->to |
                   (uint64_t)(uintptr_t)b->from |
                   (uint64_t)b->axes.axis[0].size;

    for (int d = 1; d < b->axes.n; d++)
        all |= (uint64_t)(b->axes.axis[d].step[0] | b->axes.axis[d].step[1]);
    return (int)(all & (~all + 1));
}

static inline int osw_boxes_blocks(const struct osw_box *b, int *depth)
{
    int64_t per_block, blocks;

    *depth = b->n >= 1 << 20   ? osw_boxes_depth(b->word)
             : b->n >= 1 << 18 ? 2
                               : 1;
    per_block = (int64_t)*depth * OSW_BOXES_THREADS;
    blocks = (b->n + per_block - 1) / per_block;
    return blocks < INT32_MAX ? (int)blocks : -1;
}

template <class I>
static int osw_boxes_launch_as(const struct osw_boxes *list,
                               cudaStream_t stream)
{
    osw_boxes_job<I> job;
    uint32_t blocks = 0;

    memcpy(job.pattern, list->pattern, sizeof(job.pattern));
    job.n = list->n;
    for (int i = 0; i < list->n; i++) {
        const struct osw_box *b = &list->box[i];
        int depth, more = osw_boxes_blocks(b, &depth);

        if (more < 0 || blocks + (uint32_t)more > INT32_MAX ||
            !osw_path_of(&job.box[i].path, &b->axes))
            return OSW_UNSUPPORTED;
        job.box[i].to = b->to;
        job.box[i].from = b->from;
        job.box[i].n = (I)b->n;
        job.box[i].first_block = blocks;
        job.box[i].word = b->word;
        job.box[i].depth = depth;
        blocks += (uint32_t)more;
    }
    osw_boxes_kernel<I><<<blocks, OSW_BOXES_THREADS, 0, stream>>>(job);
    return 0;
}

/* Enqueue what is in the list, and empty it. */
static inline int osw_boxes_launch(struct osw_boxes *list, cudaStream_t stream)
{
    int rc = 0, wide = 0;

    for (int i = 0; i < list->n; i++)
        wide |= list->box[i].n >= (int64_t)1 << 31;
    if (list->n)
        rc = wide ? osw_boxes_launch_as<uint64_t>(list, stream)
                  : osw_boxes_launch_as<uint32_t>(list, stream);
    list->n = 0;
    return rc;
}

/* One more box, whose axes are in bytes; a full list is launched first. */
static inline int osw_boxes_put(struct osw_boxes *list, const struct osw_box *b,
                                cudaStream_t stream)
{
    struct osw_box *to;
    int rc = 0;

    if (list->n == OSW_BOXES_MOST)
        rc = osw_boxes_launch(list, stream);
    to = &list->box[list->n++];
    *to = *b;
    to->word = osw_boxes_word(to);
    to->axes.axis[0].size /= to->word;
    to->axes.axis[0].step[0] = to->axes.axis[0].step[1] = to->word;
    osw_axes_join(&to->axes);
    to->n = osw_axes_total(&to->axes);
    return rc;
}

/* to[...] = from[...], of one dtype; from NULL: the pattern. */
static inline int osw_boxes_add(struct osw_boxes *list, const osw_tensor *to,
                                const osw_tensor *from, cudaStream_t stream)
{
    const osw_tensor *t[2] = {to, from ? from : to};
    struct osw_box b, rest;
    int64_t bytes;
    int rc;

    if (osw_numel(to) == 0)
        return 0;
    osw_axes_of_bytes(&b.axes, to->ndim, to->shape, t, 2);
    b.to = (char *)osw_data(to);
    b.from = from ? (const char *)osw_data(from) : NULL;
    bytes = b.axes.axis[0].size;
    if (b.axes.n > 1 || bytes < 256 || bytes % 16 == 0)
        return osw_boxes_put(list, &b, stream);
    rest = b; /* what does not fill a word of 16 bytes, apart */
    b.axes.axis[0].size = bytes - bytes % 16;
    rest.axes.axis[0].size = bytes % 16;
    rest.to += bytes - bytes % 16;
    rest.from += from ? bytes - bytes % 16 : 0;
    rc = osw_boxes_put(list, &b, stream);
    return rc ? rc : osw_boxes_put(list, &rest, stream);
}

#endif /* OSW_LIBRARY_BOXES_CUH */
