/* worker/judge/timing/work.c - bytes that a call of a case moves */
#include "worker/judge/timing/work.h"

#include <math.h>

#include "ops/cases/work.h"
#include "ops/notation/tensor.h"

static bool is_new(const struct osw_output *output)
{
    return output->alias < 0 && output->shares < OSW_SHARES_ARGUMENT;
}

static double written_bytes(const struct osw_trial *trial,
                            const struct osw_oracle_result *oracle)
{
    double n = 0;

    for (uint32_t i = 0; i < oracle->n_outputs; i++)
        if (is_new(&oracle->outputs[i].as_run))
            n += (double)osw_tensor_unique_bytes(&oracle->outputs[i].desc);
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (trial->tensors[i].written)
            n += (double)osw_tensor_unique_bytes(trial->tensors[i].desc);
    return n;
}

struct osw_work_bytes osw_work_bytes(const struct osw_op *op,
                                     const struct osw_trial *trial,
                                     const struct osw_oracle_result *oracle,
                                     double planned)
{
    struct osw_work_bytes work = {.bytes = planned, .least = NAN};
    struct osw_reads reads;
    double written;

    if (!oracle->have_shapes ||
        osw_work_reads(op, trial->args, trial->n_args, &reads, NULL) < 0)
        return work;
    written = written_bytes(trial, oracle);
    work.bytes = isnan(oracle->bytes) ? reads.bytes + written : oracle->bytes;
    if (written > 0) {
        work.least =
            isnan(oracle->bytes) ? reads.least + written : oracle->bytes;
        work.read = fmax(work.least - written, 0);
    }
    return work;
}
