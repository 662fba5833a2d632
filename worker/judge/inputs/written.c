/* worker/judge/inputs/written.c - written arguments that a reference leaves out
 */
#include "worker/judge/inputs/written.h"

#include <string.h>

static int32_t alias_of(const struct osw_written_job *job, size_t tensor)
{
    const struct osw_trial_tensor *t = &job->trial->tensors[tensor];

    return osw_output_alias_of((uint32_t)(t->arg - job->from_arg),
                               osw_output_alias_place(t->alias));
}

static bool is_plain(const struct osw_type *type)
{
    return type->base == OSW_TYPE_TENSOR && !type->list && !type->optional;
}

/* Only with one output for each return is it known which is which. */
static bool has_plain_returns(const struct osw_schema *schema)
{
    for (uint32_t i = 0; schema && i < schema->n_returns; i++)
        if (!is_plain(&schema->returns[i].type))
            return false;
    return schema != NULL;
}

/* The argument that return i is, if the op writes it; -1: it is none. */
static int arg_of_return(const struct osw_schema *schema, uint32_t i)
{
    const struct osw_type *type = &schema->returns[i].type;

    for (uint32_t k = 0; type->alias && k < schema->n_args; k++)
        if (schema->args[k].written && schema->args[k].type.alias &&
            strcmp(schema->args[k].type.alias, type->alias) == 0)
            return (int)k;
    return -1;
}

/* Which return an alias is; -1: none. */
static int return_of(const struct osw_schema *schema, int32_t alias)
{
    for (uint32_t i = 0; has_plain_returns(schema) && i < schema->n_returns;
         i++)
        if (arg_of_return(schema, i) == (int)osw_output_alias_arg(alias))
            return (int)i;
    return -1;
}

/* --- the list --- */

static bool has(const struct osw_written_output *all, uint32_t n, int32_t alias)
{
    for (uint32_t i = 0; i < n; i++)
        if (all[i].output.alias == alias)
            return true;
    return false;
}

static bool comes_before(int32_t a, int32_t b)
{
    uint32_t x = osw_output_alias_arg(a), y = osw_output_alias_arg(b);

    return x != y ? x < y
                  : osw_output_alias_place(a) < osw_output_alias_place(b);
}

static uint32_t place_of(const struct osw_schema *schema,
                         const struct osw_written_output *all, uint32_t n,
                         int32_t alias)
{
    int at = return_of(schema, alias);
    uint32_t i = 0;

    if (at >= 0)
        return (uint32_t)at < n ? (uint32_t)at : n;
    while (i < n && (all[i].output.alias < 0 ||
                     return_of(schema, all[i].output.alias) >= 0 ||
                     comes_before(all[i].output.alias, alias)))
        i++;
    return i;
}

static void describe(const struct osw_trial_tensor *t, int32_t alias,
                     struct osw_output *out)
{
    size_t bytes = (size_t)t->desc->ndim * sizeof(*out->shape);

    *out = (struct osw_output){.dtype = t->desc->dtype,
                               .ndim = t->desc->ndim,
                               .alias = alias,
                               .shares = OSW_SHARES_ARGUMENT +
                                         osw_output_alias_arg(alias),
                               .offset = t->offset,
                               .exact = OSW_NO_OFFSET,
                               .norm = OSW_NO_OFFSET};
    memcpy(out->shape, t->desc->shape, bytes);
    memcpy(out->strides, t->desc->strides, bytes);
}

struct osw_written_output *osw_written_list(osw_arena_t *memory,
                                            const struct osw_written_job *job,
                                            const struct osw_result *result,
                                            uint32_t *n)
{
    const struct osw_trial *trial = job->trial;
    struct osw_written_output *all = osw_arena_array(
        memory, result->n_outputs + trial->n_tensors, sizeof(*all));

    *n = result->n_outputs;
    for (uint32_t i = 0; all && i < *n; i++)
        all[i] = (struct osw_written_output){.output = result->outputs[i]};
    for (size_t t = 0; all && t < trial->n_tensors; t++) {
        const struct osw_trial_tensor *tensor = &trial->tensors[t];
        uint32_t at;

        if (!tensor->written || tensor->arg < job->from_arg ||
            tensor->arg >= job->from_arg + job->n_args ||
            has(all, *n, alias_of(job, t)))
            continue;
        at = place_of(job->schema, all, *n, alias_of(job, t));
        memmove(&all[at + 1], &all[at], (*n - at) * sizeof(*all));
        describe(tensor, alias_of(job, t), &all[at].output);
        all[at].added = true;
        (*n)++;
    }
    return all;
}

/* Told by what is in them.  Copied first: `zone` may be in other memory than
 * the image.
 */
static bool changed_any(const struct osw_trial *trial,
                        const struct osw_written_output *all, uint32_t n,
                        const unsigned char *zone, unsigned char *scratch)
{
    const struct osw_judge_ops *ops = trial->place->ops;
    struct osw_device *device = trial->place->device;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = all[i].output.offset;
        uint64_t bytes = (uint64_t)osw_output_extent(&all[i].output);

        if (!all[i].added)
            continue;
        ops->copy(device, scratch, zone + at, bytes);
        if (ops->differs(device, trial->image + at, scratch, bytes) >= 0)
            return true;
    }
    return false;
}

/* Has the reference no output, or one that it writes and does not return? */
static bool must_count(const struct osw_schema *schema,
                       const struct osw_written_output *all, uint32_t n)
{
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        if (all[i].added)
            continue;
        any = true;
        if (schema && all[i].output.alias >= 0 &&
            return_of(schema, all[i].output.alias) < 0)
            return true;
    }
    return !any;
}

void osw_written_settle(const struct osw_written_job *job,
                        struct osw_written_output *all, uint32_t *n,
                        const unsigned char *zone, unsigned char *scratch)
{
    uint32_t kept = 0;

    if (must_count(job->schema, all, *n) ||
        changed_any(job->trial, all, *n, zone, scratch))
        return;
    for (uint32_t i = 0; i < *n; i++)
        if (!all[i].added)
            all[kept++] = all[i];
    *n = kept;
}

bool osw_written_missing(const struct osw_written_job *job,
                         const struct osw_result *result, uint32_t *output,
                         uint32_t *arg)
{
    if (!has_plain_returns(job->schema))
        return false;
    for (uint32_t i = 0; i < job->schema->n_returns && i < result->n_outputs;
         i++) {
        int k = arg_of_return(job->schema, i);

        if (k < 0 || result->outputs[i].alias >= 0 ||
            result->outputs[i].shares >= OSW_SHARES_ARGUMENT ||
            osw_output_extent(&result->outputs[i]) == 0)
            continue;
        for (size_t t = 0; t < job->trial->n_tensors; t++)
            if (job->trial->tensors[t].arg == job->from_arg + (size_t)k) {
                *output = i;
                *arg = (uint32_t)k;
                return true;
            }
    }
    return false;
}
