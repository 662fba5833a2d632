/* _embedding_bag_backward - a thread per column of an index adds a term; of
 * mode max, of a bag
 */
#include "../shared/bags.cuh"
#include "../shared/plain_picking.cuh"
#include "bag_backward.h"

struct job {
    osw_bag_entries indices, offsets, bag_of, sizes;
    struct osw_strided largest;
    const char *grad, *scales; /* scales: NULL: there are none */
    char *to;                  /* [n_weights, width] */
    osw_dtype scale_dtype;
    int64_t row, col, scale_step;
    int64_t n, n_bags, n_weights, width, padding;
    int mode, by_frequency;
};

template <class A>
static __device__ A scale_of(const job &j, int64_t i, int64_t bag, int64_t k)
{
    A scale = 1;

    if (j.scales)
        scale =
            (A)osw_load(j.scale_dtype,
                        j.scales + i * j.scale_step * (j.scale_dtype.bits / 8));
    if (j.mode == BAG_MEAN)
        scale /= (A)j.sizes.get(bag);
    if (j.by_frequency) {
        int64_t count = 0;

        for (int64_t other = 0; other < j.n; other++)
            count += j.indices.get(other) == k;
        scale /= (A)count;
    }
    return scale;
}

template <class E>
static __global__ void add_terms(const __grid_constant__ job j)
{
    typedef typename osw_plain_math<E>::type A;
    int64_t n = j.mode == BAG_MAX ? j.n_bags : j.n;

    for (int64_t at = osw_plain_first<int64_t>(); at < n * j.width;
         at += osw_plain_step<int64_t>()) {
        int64_t i = at / j.width, col = at % j.width, bag = i, k;
        A scale = 1;

        if (j.mode == BAG_MAX) {
            if (j.sizes.get(bag) == 0)
                continue;
            k = osw_load_int(
                j.largest.dtype,
                osw_strided_at(&j.largest, osw_strided_offset(&j.largest, at)));
        } else {
            bag = osw_bag_at(j.offsets, j.bag_of, j.n_bags, i);
            k = j.indices.get(i);
            if (k == j.padding)
                continue;
            if (bag < 0 || bag >= j.n_bags)
                __trap();
            scale = scale_of<A>(j, i, bag, k);
        }
        if (k < 0 || k >= j.n_weights)
            __trap();
        osw_plain_add_to(
            (A *)j.to + k * j.width + col, scale,
            osw_plain_load<A>((const E *)j.grad + bag * j.row + col * j.col));
    }
}

static int job_of(const struct bag_back &b, job *j)
{
    j->indices = osw_bag_entries_of(b.indices);
    j->offsets = osw_bag_entries_of(b.offsets);
    j->bag_of = osw_bag_entries_of(b.bag_of);
    j->sizes = osw_bag_entries_of(b.sizes);
    j->grad = (const char *)osw_data(b.grad);
    j->row = b.grad->strides[0];
    j->col = b.grad->strides[1];
    if (b.scales) {
        j->scales = (const char *)osw_data(b.scales);
        j->scale_dtype = b.scales->dtype;
        j->scale_step = b.scales->strides[0];
    }
    j->n = b.n;
    j->n_bags = b.n_bags;
    j->n_weights = b.n_weights;
    j->width = b.width;
    j->padding = b.padding;
    j->mode = b.mode;
    j->by_frequency = b.by_frequency;
    return b.mode == BAG_MAX ? osw_strided_of(&j->largest, b.largest) : 0;
}

extern "C" int _embedding_bag_backward_kernel_impl(const osw_call *call)
{
    struct bag_back b = {};
    osw_plain_total total;
    job j = {};
    int rc = bag_back_open(call, &b);

    if (!rc)
        rc = job_of(b, &j);
    if (!rc)
        rc = osw_plain_total_open(call, &total, b.out);
    if (!rc)
        rc = osw_plain_fill(call, &total.view.t, 0.0);
    if (rc)
        return rc;
    j.to = (char *)osw_data(&total.view.t);
    rc = osw_plain_by_float(b.grad->dtype, [&](auto e) {
        return osw_plain_launch(call, add_terms<decltype(e)>,
                                (b.mode == BAG_MAX ? b.n_bags : b.n) * b.width,
                                j);
    });
    return rc ? rc : osw_plain_total_close(call, &total);
}
