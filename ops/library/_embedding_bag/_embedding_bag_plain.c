/* _embedding_bag - bag by bag, and row by row of each */
#include "../shared/plain.h"
#include "embedding_bag.h"

static float weight_of(const struct bags *b, int64_t k, int64_t col)
{
    return (float)osw_load(b->weight->dtype,
                           osw_at(b->weight, k * b->weight->strides[0] +
                                                 col * b->weight->strides[1]));
}

/* to [width]; count: of rows before this one. */
static void take(const struct bags *b, int64_t bag, int64_t i, int64_t count,
                 float *to)
{
    int64_t k = bag_entry(b->indices, i);
    float scale = b->scales ? (float)osw_get(b->scales, i) : 1.0f;

    for (int64_t col = 0; col < b->width; col++) {
        float v = weight_of(b, k, col);

        if (b->mode != BAG_MAX) {
            to[col] += scale * v;
        } else if (count == 0 || v > to[col]) {
            to[col] = v;
            bag_set(b->largest, bag * b->width + col, k);
        }
    }
}

static void fill_bag(const struct bags *b, int64_t bag, float *to)
{
    osw_dtype t = b->out->dtype;
    int64_t count = 0;

    bag_note(b, bag);
    for (int64_t col = 0; col < b->width; col++) {
        to[col] = 0.0f;
        if (b->mode == BAG_MAX)
            bag_set(b->largest, bag * b->width + col, 0);
    }
    for (int64_t i = bag_begin(b, bag); i < bag_end(b, bag); i++)
        if (bag_entry(b->indices, i) != b->padding)
            take(b, bag, i, count++, to);
    for (int64_t col = 0; col < b->width; col++)
        osw_store(t, osw_at(b->out, bag * b->width + col),
                  b->mode == BAG_MEAN && count ? to[col] / (float)count
                                               : to[col]);
}

int _embedding_bag_kernel_impl(const osw_call *call)
{
    struct bags b = {0};
    int rc = bags_open(call, &b), threads;
    float *room;

    if (rc || b.weight->dtype.bits == 64)
        return rc ? rc : OSW_UNSUPPORTED;
    threads = osw_plain_threads(call, b.n * b.width);
    room = (float *)osw_workspace(call, (size_t)(threads * b.width) * 4 + 4);
    if (!room)
        return OSW_ERROR;
    rc = bags_check(call, &b);
    if (rc)
        return rc;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int64_t bag = b.n_bags * t / threads;
             bag < b.n_bags * (t + 1) / threads; bag++)
            fill_bag(&b, bag, room + t * b.width);
    return 0;
}
