/* ops/library/triu/triu_plain.cu - an element per thread, 0 below the diagonal
 */
#include "../shared/plain_copy.cuh"

struct triu_job {
    struct osw_plain_axes axes; /* of self */
    int64_t total, rows, cols, diagonal;
    char *to;
    const char *from;
};

template <class T, class I>
static __global__ void triu(const __grid_constant__ triu_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t col = i % (I)job.cols, row = i / (I)job.cols % (I)job.rows, at;

        osw_plain_at<1>(job.axes, i, &at);
        ((T *)job.to)[i] =
            col >= row + job.diagonal ? ((const T *)job.from)[at] : T();
    }
}

extern "C" int triu_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0), *out;
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {self};
    triu_job job = {};

    if (!self || self->ndim < 2)
        return osw_error(call, "expected a matrix");
    if (self->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, self->dtype, self->ndim, self->shape, NULL);
    if (!out)
        return OSW_ERROR;
    osw_plain_axes_of(&job.axes, self->ndim, self->shape, t);
    job.total = osw_numel(out);
    job.rows = self->shape[self->ndim - 2];
    job.cols = self->shape[self->ndim - 1];
    job.diagonal = osw_arg_int(call, 1, 0);
    job.to = (char *)osw_data(out);
    job.from = (const char *)osw_data(self);
    return osw_plain_by_size(out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, triu<T, decltype(i)>, job.total, job);
        });
    });
}
