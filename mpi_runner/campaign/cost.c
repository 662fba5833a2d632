/* mpi_runner/campaign/cost.c - what a case will need: memory, operations, time
 */
#include "mpi_runner/campaign/cost.h"

#include <math.h>
#include <string.h>

#include "ops/cases/work.h"
#include "ops/catalog/op_collective.h"
#include "ops/inputs/expr.h"
#include "ops/notation/tensor.h"

/* Of one core of an ordinary server, and of a GPU of a cluster. */
static const struct rate {
    const char *device;
    double fill_s;         /* per element */
    double copy_s;         /* per byte */
    double reference_s;    /* per element read or written */
    double reference_flop; /* per operation, in double */
    double impl_s;         /* per byte moved */
    double impl_flop;      /* per operation */
    double verify_s;       /* per element of the outputs */
    double freivalds_s;    /* per element of a, b and the product */
    double bundle_s;       /* fixed: messages, sandboxes */
    double small_s;        /* the same of a small case without times */
    double runs;           /* of an implementation, for its verdict */
} rates[] = {
    {.device = "cpu",
     .fill_s = 8e-9,
     .copy_s = 0.4e-9,
     .reference_s = 8e-9,
     .reference_flop = 1e-9,
     .impl_s = 0.5e-9,
     .impl_flop = 0.025e-9,
     .verify_s = 8e-9,
     .freivalds_s = 10e-9,
     .bundle_s = 1e-3,
     .small_s = 1e-4,
     .runs = 2},
    {.device = "cuda",
     .fill_s = 1e-11,
     .copy_s = 1e-12,
     .reference_s = 3e-11,
     .reference_flop = 5e-13,
     .impl_s = 1e-12,
     .impl_flop = 3e-14,
     .verify_s = 2e-11,
     .freivalds_s = 2e-11,
     .bundle_s = 2e-3,
     .small_s = 1e-4,
     .runs = 2},
};

static const struct rate *rate_of(const char *device)
{
    for (size_t i = 1; i < sizeof(rates) / sizeof(rates[0]); i++)
        if (strcmp(rates[i].device, device) == 0)
            return &rates[i];
    return &rates[0];
}

int osw_cost_size(const struct osw_op *op, const struct osw_bound_arg *args,
                  size_t n_args, const struct osw_bound_tensor *tensors,
                  size_t n_tensors, struct osw_case_size *out,
                  struct osw_error *err)
{
    struct osw_case_size size = {.in_elements = 0};
    struct osw_bandwidth bandwidth;
    struct osw_reads reads;
    double element = 4, largest = -1;

    for (size_t i = 0; i < n_tensors; i++) {
        const struct osw_tensor_desc *t = tensors[i].desc;
        double n = (double)osw_tensor_numel(t->ndim, t->shape);

        size.in_elements += n;
        size.in_bytes +=
            (double)osw_tensor_bytes(t) + (double)osw_tensor_bytes_before(t);
        if (n > largest) {
            largest = n;
            element = (double)osw_dtype_info((int)t->dtype)->bytes;
        }
    }
    size.out_elements = largest > 0 ? largest : 0;
    if (op->numel && osw_expr_size(op->numel, "numel", args, n_args,
                                   &size.out_elements, err) < 0)
        return -1;
    size.flops = size.out_elements;
    if (op->flops &&
        osw_expr_size(op->flops, "flops", args, n_args, &size.flops, err) < 0)
        return -1;
    if (osw_work_reads(op, args, n_args, &reads, err) < 0 ||
        osw_op_bandwidth_of(op, (uint32_t)op->world, args, n_args, &bandwidth,
                            err) < 0)
        return -1;
    size.out_bytes = size.out_elements * element;
    size.bytes = reads.bytes + size.out_bytes;
    *out = size;
    return 0;
}

int osw_cost_of_case(osw_arena_t *arena, const struct osw_op *op,
                     const struct osw_case *parsed, struct osw_case_size *out,
                     struct osw_error *err)
{
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    size_t n_args, n_tensors;

    if (osw_bind(arena, op->schema, parsed, &args, &n_args, err) < 0 ||
        osw_bind_tensors(arena, args, n_args, &tensors, &n_tensors, err) < 0)
        return -1;
    return osw_cost_size(op, args, n_args, tensors, n_tensors, out, err);
}

double osw_cost_memory(const struct osw_case_size *size, enum osw_check check)
{
    double reference = check == OSW_CHECK_FREIVALDS
                           ? 0
                           : size->out_elements * 2 * sizeof(double);

    return size->in_bytes + 2 * size->out_bytes + reference;
}

double osw_cost_call(const struct osw_case_size *size, const char *device)
{
    const struct rate *rate = rate_of(device);

    return size->bytes * rate->impl_s + size->flops * rate->impl_flop;
}

double osw_cost_time(const struct osw_case_size *size, const char *device,
                     enum osw_check check, size_t n_impls, bool time,
                     const struct osw_profile *profile)
{
    const struct rate *rate = rate_of(device);
    double elements = size->in_elements + size->out_elements;
    double run = osw_cost_call(size, device);
    double judge = rate->runs * run + size->in_bytes * rate->copy_s;
    bool small =
        size->in_bytes <= OSW_WORKER_SMALL_BYTES && !(time && profile->time);
    double s = (small ? rate->small_s : rate->bundle_s) +
               size->in_elements * rate->fill_s;

    if (check == OSW_CHECK_FREIVALDS)
        judge += elements * rate->freivalds_s + run; /* one more, on reals */
    else
        judge += size->out_elements * rate->verify_s;
    if (check != OSW_CHECK_FREIVALDS)
        s += elements * rate->reference_s + size->flops * rate->reference_flop;
    /* Baseline and candidate alternate; a sample begun at the cap is finished.
     */
    if (time && profile->time)
        judge += fmin((double)profile->time_cap_ns * 1e-9,
                      2 * run * profile->max_samples) +
                 2 * run;
    return s + (double)n_impls * judge;
}
