/* _embedding_bag_backward - index by index, added up in float */
#include "../shared/plain.h"
#include "bag_backward.h"

static void add_indices(const struct bag_back *b, const int64_t *count,
                        float *to)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t k = osw_bag_entry(b->indices, i), bag = bag_back_bag(b, i);
        float scale;

        if (k == b->padding)
            continue;
        scale = (float)bag_back_scale(b, i, bag);
        if (b->by_frequency)
            scale /= (float)count[k];
        for (int64_t col = 0; col < b->width; col++)
            to[k * b->width + col] +=
                scale * (float)osw_get(b->grad, bag * b->width + col);
    }
}

static void add_largest(const struct bag_back *b, float *to)
{
    for (int64_t bag = 0; bag < b->n_bags; bag++)
        for (int64_t col = 0; col < b->width; col++)
            if (osw_bag_entry(b->sizes, bag) != 0)
                to[bag_back_largest(b, bag, col) * b->width + col] +=
                    (float)osw_get(b->grad, bag * b->width + col);
}

int _embedding_bag_backward_kernel_impl(const osw_call *call)
{
    struct bag_back b = {0};
    int rc = bag_back_open(call, &b);
    int64_t n, *count;
    float *to;

    if (rc)
        return rc;
    if (b.grad->dtype.bits == 64)
        return OSW_UNSUPPORTED;
    n = b.n_weights * b.width;
    count =
        (int64_t *)osw_workspace(call, (size_t)b.n_weights * 8 + (size_t)n * 4);
    if (!count)
        return OSW_ERROR;
    rc = bag_back_check(call, &b);
    if (rc)
        return rc;
    to = (float *)(count + b.n_weights);
    memset(count, 0, (size_t)b.n_weights * 8);
    memset(to, 0, (size_t)n * 4);
    for (int64_t i = 0; b.by_frequency && i < b.n; i++)
        count[osw_bag_entry(b.indices, i)]++;
    if (b.mode == BAG_MAX)
        add_largest(&b, to);
    else
        add_indices(&b, count, to);
    for (int64_t i = 0; i < n; i++)
        osw_store(b.out->dtype, osw_at(b.out, i), to[i]);
    return 0;
}
