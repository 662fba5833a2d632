/* _embedding_bag_per_sample_weights_backward - a thread per index: its row of
 * weight times its bag's gradient
 */
#include "../shared/bags.cuh"
#include "../shared/plain_picking.cuh"
#include "sample_weights.h"

struct weights_job {
    osw_bag_entries indices, offsets, bag_of;
    const char *grad, *weight;
    char *to;
    int64_t grad_row, grad_col, weight_row, weight_col; /* in elements */
    int64_t n, n_bags, n_weights, width, padding;
};

template <class E>
static __global__ void products(const __grid_constant__ weights_job j)
{
    typedef typename osw_plain_math<E>::type A;

    for (int64_t i = osw_plain_first<int64_t>(); i < j.n;
         i += osw_plain_step<int64_t>()) {
        int64_t row = j.indices.get(i), bag = 0;
        int skipped = row == j.padding;
        double sum = 0.0;

        if (!skipped)
            bag = osw_bag_at(j.offsets, j.bag_of, j.n_bags, i);
        if (!skipped &&
            (row < 0 || row >= j.n_weights || bag < 0 || bag >= j.n_bags))
            __trap();
        for (int64_t k = 0; !skipped && k < j.width; k++)
            sum += (double)osw_plain_load<A>(
                       (const E *)j.grad + bag * j.grad_row + k * j.grad_col) *
                   (double)osw_plain_load<A>((const E *)j.weight +
                                             row * j.weight_row +
                                             k * j.weight_col);
        osw_plain_store((E *)j.to + i, (A)sum);
    }
}

extern "C" int
_embedding_bag_per_sample_weights_backward_kernel_impl(const osw_call *call)
{
    struct sample_weights w = {};
    int rc = sample_weights_open(call, &w);
    weights_job j = {};

    if (rc || w.n == 0)
        return rc;
    j.indices = osw_bag_entries_of(w.indices);
    j.offsets = osw_bag_entries_of(w.offsets);
    j.bag_of = osw_bag_entries_of(w.bag_of);
    j.grad = (const char *)osw_data(w.grad);
    j.weight = (const char *)osw_data(w.weight);
    j.to = (char *)osw_data(w.out);
    j.grad_row = w.grad->strides[0];
    j.grad_col = w.grad->strides[1];
    j.weight_row = w.weight->strides[0];
    j.weight_col = w.weight->strides[1];
    j.n = w.n;
    j.n_bags = w.n_bags;
    j.n_weights = w.n_weights;
    j.width = w.width;
    j.padding = w.padding;
    return osw_plain_by_float(w.grad->dtype, [&](auto e) {
        return osw_plain_launch(call, products<decltype(e)>, w.n, j);
    });
}
