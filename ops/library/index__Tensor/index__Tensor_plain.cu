/* ops/library/index__Tensor/index__Tensor_plain.cu - an element per thread */
#include "../shared/plain_copy.cuh"
#include "index.h"

/* An index tensor, in the common shape of all of them. */
struct entries {
    const void *data;
    int bits;
    int64_t n, stride; /* of the dimension of self that it indexes */
    int64_t step[OSW_RULE_DIMS];
};

struct index_job {
    osw_strided before, after;
    int64_t total, n_entries, n_after;
    int32_t n, ndim; /* index tensors, dimensions of their shape */
    int64_t shape[OSW_RULE_DIMS];
    struct entries at[OSW_RULE_DIMS];
    char *to;
    const char *from;
};

/* Where the i-th entry points to; negative ones count from the end. */
static __device__ int64_t where(const index_job &job, int64_t i)
{
    int64_t at = 0;

    for (int32_t k = 0; k < job.n; k++) {
        const struct entries &e = job.at[k];
        int64_t p = 0, rest = i, entry;

        for (int32_t d = job.ndim - 1; d >= 0; d--) {
            p += rest % job.shape[d] * e.step[d];
            rest /= job.shape[d];
        }
        entry = e.bits == 64 ? ((const int64_t *)e.data)[p]
                             : (int64_t)((const int32_t *)e.data)[p];
        entry += entry < 0 ? e.n : 0;
        if (entry < 0 || entry >= e.n)
            __trap();
        at += entry * e.stride;
    }
    return at;
}

template <class T, class I>
static __global__ void pick(const __grid_constant__ index_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t after = i % (I)job.n_after;
        int64_t entry = i / (I)job.n_after % (I)job.n_entries;
        int64_t before = i / (I)job.n_after / (I)job.n_entries;

        ((T *)job.to)[i] =
            ((const T *)job.from)[osw_strided_offset(&job.before, before) +
                                  where(job, entry) +
                                  osw_strided_offset(&job.after, after)];
    }
}

static void push_entries(index_job *job, const struct osw_index *x, int32_t dim)
{
    const osw_tensor *t = x->at[dim];
    struct entries *e = &job->at[job->n++];
    int32_t lead = x->ndim - t->ndim;

    e->data = osw_data(t);
    e->bits = t->dtype.bits;
    e->n = x->self->shape[dim];
    e->stride = x->self->strides[dim];
    for (int32_t d = 0; d < t->ndim; d++)
        if (t->shape[d] != 1)
            e->step[lead + d] = t->strides[d];
}

static void job_of(index_job *job, const struct osw_index *x)
{
    for (int32_t d = 0; d < x->before.n; d++)
        osw_strided_push(&job->before, x->before.shape[d],
                         x->before.strides[d]);
    for (int32_t d = 0; d < x->after.n; d++)
        osw_strided_push(&job->after, x->after.shape[d],
                         x->after.strides[d]);
    for (int32_t d = 0; d < x->self->ndim; d++)
        if (x->at[d])
            push_entries(job, x, d);
    job->ndim = x->ndim;
    memcpy(job->shape, x->shape, sizeof(job->shape));
    job->total = osw_numel(x->out);
    job->n_entries = x->numel;
    job->n_after = x->after.numel;
    job->to = (char *)osw_data(x->out);
    job->from = (const char *)osw_data(x->self);
}

extern "C" int index__Tensor_kernel_impl(const osw_call *call)
{
    struct osw_index x = {};
    index_job job = {};
    int rc = osw_index_open(call, &x);

    if (rc)
        return rc;
    job_of(&job, &x);
    return osw_plain_by_size(x.out->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, pick<T, decltype(i)>, job.total, job);
        });
    });
}
