/* mpi_runner/export/cases.c - cases of a package's tests, with expected results
 */
#include "mpi_runner/export/cases.h"

#include <math.h>

#include "ops/notation/dtype.h"
#include "ops/notation/tensor.h"

/* Where `n` bytes went, as members of the open object. */
static void put_bytes(struct osw_export_cases *c, const void *bytes, uint64_t n)
{
    while (c->data.used % 16 != 0 && !c->data.failed)
        osw_text_add_n(&c->data, "", 1);
    osw_json_out_u64(c->json, "offset", c->data.used);
    osw_json_out_u64(c->json, "bytes", n);
    osw_text_add_n(&c->data, bytes, n);
}

static void put_sizes(struct osw_export_cases *c, const char *key, int32_t n,
                      const int64_t *sizes)
{
    osw_json_out_list(c->json, key);
    for (int32_t d = 0; d < n; d++)
        osw_json_out_i64(c->json, NULL, sizes[d]);
    osw_json_out_end(c->json);
}

static void put_tensor(struct osw_export_cases *c, const char *key,
                       const struct osw_made_input *t)
{
    osw_json_out_object(c->json, key);
    osw_json_out_str(c->json, "dtype",
                     osw_dtype_info((int)t->desc->dtype)->name);
    put_sizes(c, "shape", t->desc->ndim, t->desc->shape);
    put_sizes(c, "strides", t->desc->ndim, t->desc->strides);
    osw_json_out_i64(c->json, "before", t->desc->offset);
    put_bytes(c, t->data,
              osw_tensor_numel(t->desc->ndim, t->desc->shape) ? t->bytes : 0);
    osw_json_out_end(c->json);
}

static void put_value(struct osw_export_cases *c, const struct osw_value *v,
                      const struct osw_made_input **next)
{
    switch (v->kind) {
    case OSW_VALUE_BOOL:
        osw_json_out_bool(c->json, NULL, v->u.b);
        return;
    case OSW_VALUE_INT:
        osw_json_out_i64(c->json, NULL, v->u.i);
        return;
    case OSW_VALUE_STRING:
        osw_json_out_str(c->json, NULL, v->u.s);
        return;
    case OSW_VALUE_LIST:
    case OSW_VALUE_TUPLE:
        osw_json_out_list(c->json, NULL);
        for (uint32_t i = 0; i < v->n; i++)
            put_value(c, &v->u.items[i], next);
        osw_json_out_end(c->json);
        return;
    case OSW_VALUE_FLOAT: /* JSON has no infinities, and 1.0 may read as 1 */
    case OSW_VALUE_DTYPE:
    case OSW_VALUE_TENSOR:
        break;
    default:
        osw_json_out_null(c->json, NULL);
        return;
    }
    osw_json_out_object(c->json, NULL);
    if (v->kind == OSW_VALUE_TENSOR)
        put_tensor(c, "tensor", (*next)++);
    else if (v->kind == OSW_VALUE_DTYPE)
        osw_json_out_str(c->json, "dtype",
                         osw_dtype_info((int)v->u.dtype)->name);
    else if (isfinite(v->u.f))
        osw_json_out_f64(c->json, "float", v->u.f);
    else
        osw_json_out_str(c->json, "float",
                         isnan(v->u.f)  ? "nan"
                         : v->u.f > 0.0 ? "inf"
                                        : "-inf");
    osw_json_out_end(c->json);
}

static void put_output(struct osw_export_cases *c,
                       const struct osw_made_output *o)
{
    const struct osw_dtype_info *dtype = osw_dtype_info((int)o->desc->dtype);

    osw_json_out_object(c->json, NULL);
    osw_json_out_str(c->json, "dtype", dtype->name);
    put_sizes(c, "shape", o->desc->ndim, o->desc->shape);
    osw_json_out_f64(c->json, "rtol", o->rtol);
    osw_json_out_f64(c->json, "atol", o->atol);
    osw_json_out_object(c->json, "values");
    osw_json_out_str(c->json, "dtype", o->exact ? "f64" : dtype->name);
    put_sizes(c, "shape", o->desc->ndim, o->desc->shape);
    if (o->exact) {
        int64_t strides[OSW_MAX_NDIM];

        (void)!osw_tensor_contiguous(o->desc->ndim, o->desc->shape, strides);
        put_sizes(c, "strides", o->desc->ndim, strides);
    } else {
        put_sizes(c, "strides", o->desc->ndim, o->desc->strides);
    }
    put_bytes(c, o->exact ? (const void *)o->exact : o->values,
              osw_tensor_numel(o->desc->ndim, o->desc->shape) ? o->bytes : 0);
    osw_json_out_end(c->json);
    osw_json_out_end(c->json);
}

static uint64_t bytes_of(const struct osw_made *made)
{
    uint64_t n = 0;

    for (size_t i = 0; i < made->n_inputs; i++)
        n += made->inputs[i].bytes;
    for (size_t i = 0; i < made->n_outputs; i++)
        n += made->outputs[i].bytes;
    return n;
}

void osw_export_cases_add(void *arg, const struct osw_made *made)
{
    struct osw_export_cases *c = arg;
    const struct osw_made_input *next = made->inputs;

    if (bytes_of(made) > c->max_bytes) {
        c->n_large++;
        return;
    }
    c->n_cases++;
    osw_json_out_object(c->json, NULL);
    osw_json_out_str(c->json, "text", c->text);
    osw_json_out_list(c->json, "args");
    for (size_t i = 0; i < made->n_args; i++)
        put_value(c, made->args[i].value, &next);
    osw_json_out_end(c->json);
    osw_json_out_list(c->json, "outputs");
    for (size_t i = 0; i < made->n_outputs; i++)
        put_output(c, &made->outputs[i]);
    osw_json_out_end(c->json);
    osw_json_out_end(c->json);
}
