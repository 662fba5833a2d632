/* _embedding_bag - a thread per element of a bag */
#include "../shared/plain_picking.cuh"
#include "entries.cuh"

struct job {
    bag_entries indices, offsets, bag_of, sizes, largest;
    const char *weight, *scales; /* scales: NULL: there are none */
    char *out;
    osw_dtype scale_dtype;
    int64_t row, col, scale_step;
    int64_t n, n_bags, n_offsets, n_weights, width, padding;
    int mode;
};

/* The indices of a bag: by its first column's thread. */
static __device__ void note(const job &j, int64_t bag, int64_t begin,
                            int64_t end, int64_t size)
{
    for (int64_t i = begin; i < end; i++)
        j.bag_of.set(i, bag);
    j.sizes.set(bag, size);
}

template <class E> static __global__ void fill(const __grid_constant__ job j)
{
    typedef typename osw_plain_math<E>::type A;

    for (int64_t at = osw_plain_first<int64_t>(); at < j.n_bags * j.width;
         at += osw_plain_step<int64_t>()) {
        int64_t bag = at / j.width, col = at % j.width, size = 0, largest = 0;
        int64_t begin = j.offsets.get(bag), end = j.n;
        A value = 0;

        if (bag + 1 < j.n_offsets)
            end = j.offsets.get(bag + 1);
        if (begin < 0 || end > j.n)
            __trap();
        for (int64_t i = begin; i < end; i++) {
            int64_t k = j.indices.get(i);
            A v, scale = 1;

            if (k < 0 || k >= j.n_weights)
                __trap();
            if (k == j.padding)
                continue;
            v = osw_plain_load<A>((const E *)j.weight + k * j.row +
                                  col * j.col);
            if (j.scales)
                scale = (A)osw_load(j.scale_dtype,
                                    j.scales + i * j.scale_step *
                                                   (j.scale_dtype.bits / 8));
            if (j.mode != BAG_MAX) {
                value += scale * v;
            } else if (size == 0 || v > value) {
                value = v;
                largest = k;
            }
            size++;
        }
        if (j.mode == BAG_MEAN && size)
            value /= (A)size;
        osw_plain_store((E *)j.out + at, value);
        if (j.mode == BAG_MAX)
            j.largest.set(at, largest);
        if (col == 0)
            note(j, bag, begin, end, size);
    }
}

extern "C" int _embedding_bag_kernel_impl(const osw_call *call)
{
    struct bags b = {};
    int rc = bags_open(call, &b);
    job j = {};

    if (rc)
        return rc;
    if (b.width == 0) /* no thread would note sizes */
        return OSW_UNSUPPORTED;
    j.indices = bag_entries_of(b.indices);
    j.offsets = bag_entries_of(b.offsets);
    j.bag_of = bag_entries_of(b.bag_of);
    j.sizes = bag_entries_of(b.sizes);
    j.largest = bag_entries_of(b.largest);
    j.weight = (const char *)osw_data(b.weight);
    j.row = b.weight->strides[0];
    j.col = b.weight->strides[1];
    if (b.scales) {
        j.scales = (const char *)osw_data(b.scales);
        j.scale_dtype = b.scales->dtype;
        j.scale_step = b.scales->strides[0];
    }
    j.out = (char *)osw_data(b.out);
    j.n = b.n;
    j.n_bags = b.n_bags;
    j.n_offsets = b.offsets->shape[0];
    j.n_weights = b.n_weights;
    j.width = b.width;
    j.padding = b.padding;
    j.mode = b.mode;
    return osw_plain_by_float(b.weight->dtype, [&](auto e) {
        return osw_plain_launch(call, fill<decltype(e)>, b.n_bags * b.width, j);
    });
}
