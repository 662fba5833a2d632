/* ops/library/index__Tensor/index__Tensor_plain.c - one entry of the indices
 * after the other: what follows it is copied
 */
#include "../shared/indexing.h"
#include "../shared/plain_copy.h"

int index__Tensor_kernel_impl(const osw_call *call)
{
    struct osw_index x = {0};
    int rc, threads, bad = 0;
    osw_tensor *out = osw_index_pick(call, &x, &rc);
    int64_t n, step = 1, i, bytes;
    struct osw_index_dims outer;
    struct osw_plain_way w;

    if (!out)
        return rc;
    if (!osw_plain_find_way(&w, out->dtype, x.self->dtype))
        return OSW_UNSUPPORTED;
    /* Runs along the last dimension that is taken whole. */
    outer = x.after;
    n = 1;
    if (outer.n) {
        n = outer.shape[--outer.n];
        step = outer.strides[outer.n];
        outer.numel = n ? outer.numel / n : 0;
    }
    bytes = x.self->dtype.bits / 8;
    threads = osw_plain_threads(call, osw_numel(out));
#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(|                                                                \
              : bad)
    for (i = 0; i < x.before.numel * x.numel; i++) {
        int64_t at = osw_index_where(&x, i % x.numel), q;
        char *to = (char *)osw_at(out, i * x.after.numel);

        bad |= at < 0;
        for (q = 0; at >= 0 && q < outer.numel; q++)
            osw_plain_copy_row(
                &w, to + q * n * bytes, 1,
                (const char *)osw_at(
                    x.self, at + osw_index_offset(&x.before, i / x.numel) +
                                osw_index_offset(&outer, q)),
                step, n);
    }
    return bad ? osw_error(call, "index is out of range") : 0;
}
