/* _embedding_bag - whole rows, in chunks of columns that stay in registers and
 * the first cache; the next row is on its way meanwhile
 */
#include "../shared/convert.h"
#include "embedding_bag.h"

enum { CHUNK = 256 };

/* Columns [first, first + n) of a bag. */
struct part {
    float to[CHUNK], row[CHUNK];
    int32_t largest[CHUNK];
    int64_t bag, first, n;
};

static const void *row_at(const struct bags *b, int64_t i, int64_t first)
{
    return osw_at(b->weight, bag_entry(b->indices, i) * b->weight->strides[0] +
                                 first * b->weight->strides[1]);
}

/* The part of row i as floats; f32 that lie side by side where they are. */
static const float *read_row(const struct bags *b, struct part *p, int64_t i)
{
    const void *at = row_at(b, i, p->first);

    if (i + 1 < b->n)
        __builtin_prefetch(row_at(b, i + 1, p->first));
    if (osw_convert_is_f32(b->weight->dtype) && b->weight->strides[1] == 1)
        return (const float *)at;
    osw_convert_read(b->weight->dtype, at, b->weight->strides[1], p->n, p->row);
    return p->row;
}

static void add_row(struct part *p, const float *row, float scale)
{
#pragma omp simd
    for (int64_t j = 0; j < p->n; j++)
        p->to[j] += scale * row[j];
}

static void take_larger(struct part *p, const float *row, int64_t k, int is_one)
{
#pragma omp simd
    for (int64_t j = 0; j < p->n; j++) {
        int larger = is_one || row[j] > p->to[j];

        p->to[j] = larger ? row[j] : p->to[j];
        p->largest[j] = larger ? (int32_t)k : p->largest[j];
    }
}

static void fill_part(const struct bags *b, struct part *p)
{
    int64_t to = p->bag * b->width + p->first, count = 0;

    memset(p->to, 0, sizeof(p->to));
    memset(p->largest, 0, sizeof(p->largest));
    for (int64_t i = bag_begin(b, p->bag); i < bag_end(b, p->bag); i++) {
        int64_t k = bag_entry(b->indices, i);
        const float *row;

        if (k == b->padding)
            continue;
        row = read_row(b, p, i);
        if (b->mode == BAG_MAX)
            take_larger(p, row, k, count == 0);
        else
            add_row(p, row, b->scales ? (float)osw_get(b->scales, i) : 1.0f);
        count++;
    }
    if (b->mode == BAG_MEAN && count)
        for (int64_t j = 0; j < p->n; j++)
            p->to[j] /= (float)count;
    osw_convert_write(b->out->dtype, p->to, p->n, 1, osw_at(b->out, to));
    for (int64_t j = 0; b->mode == BAG_MAX && j < p->n; j++)
        bag_set(b->largest, to + j, p->largest[j]);
}

static void fill_bag(const struct bags *b, int64_t bag)
{
    struct part p;

    bag_note(b, bag);
    p.bag = bag;
    for (p.first = 0; p.first < b->width; p.first += CHUNK) {
        p.n = b->width - p.first < CHUNK ? b->width - p.first : CHUNK;
        fill_part(b, &p);
    }
}

int _embedding_bag_kernel_impl(const osw_call *call)
{
    struct bags b = {0};
    int rc = bags_open(call, &b), threads;

    if (rc || !osw_convert_knows(b.weight->dtype) || b.n_weights > INT32_MAX)
        return rc ? rc : OSW_UNSUPPORTED;
    rc = bags_check(call, &b);
    if (rc)
        return rc;
    threads = b.n * b.width > 65536 ? (int)call->n_threads : 1;
#pragma omp parallel for num_threads(threads)                                  \
    schedule(dynamic, 16) if (threads > 1)
    for (int64_t bag = 0; bag < b.n_bags; bag++)
        fill_bag(&b, bag);
    return 0;
}
