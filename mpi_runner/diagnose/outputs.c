/* mpi_runner/diagnose/outputs.c - is op.json's `outputs` what the reference
 * makes?
 */
#include "mpi_runner/diagnose/outputs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "worker/made.h"

struct comparing {
    const struct osw_op *op;
    const char *case_text;
    struct osw_outputs_found *found;
};

/* The first counts. */
static void wrong(struct comparing *c, const char *fmt, ...) OSW_PRINTF(2, 3);

static void wrong(struct comparing *c, const char *fmt, ...)
{
    struct osw_outputs_found *f = c->found;
    va_list ap;
    int n;

    if (f->n_wrong++ > 0)
        return;
    va_start(ap, fmt);
    n = vsnprintf(f->text, sizeof(f->text), fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof(f->text))
        snprintf(f->text + n, sizeof(f->text) - (size_t)n, "; case %s",
                 c->case_text);
}

static void print_shape(struct osw_text *out, enum osw_dtype_id dtype,
                        int32_t ndim, const int64_t *shape)
{
    osw_text_printf(out, "%s [", osw_dtype_info((int)dtype)->name);
    for (int32_t d = 0; d < ndim; d++)
        osw_text_printf(out, "%s%lld", d ? ", " : "", (long long)shape[d]);
    osw_text_add(out, "]");
}

/* Is output i as it should be?  If not, it is said. */
static bool is_right(struct comparing *c, uint32_t i,
                     const struct osw_made *made)
{
    const struct osw_shape_env env = {c->op->schema, made->args};
    const struct osw_tensor_desc *got = made->outputs[i].desc;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text words = OSW_TEXT_INIT;
    struct osw_output_shape want;

    if (osw_output_spec_eval(&c->op->outputs[i], &env, &want, &err) < 0) {
        osw_text_add(&words, err.text);
    } else {
        if (want.dtype == got->dtype && want.ndim == got->ndim &&
            memcmp(want.shape, got->shape,
                   (size_t)want.ndim * sizeof(want.shape[0])) == 0)
            return true;
        print_shape(&words, want.dtype, want.ndim, want.shape);
        osw_text_add(&words, ", the reference makes ");
        print_shape(&words, got->dtype, got->ndim, got->shape);
    }
    wrong(c, "outputs[%u] says %s", i,
          osw_text_str(&words) ? osw_text_str(&words) : "?");
    osw_text_free(&words);
    return false;
}

/* Written arguments that are no returns are the last outputs of a reference. */
static size_t max_written(const struct osw_schema *schema)
{
    size_t n = 0;

    for (uint32_t k = 0; k < schema->n_args; k++)
        n += schema->args[k].written;
    return n;
}

static void on_made(void *arg, const struct osw_made *made)
{
    struct comparing *c = arg;
    uint32_t n = c->op->n_outputs;

    c->found->n_compared++;
    if (made->n_outputs < n ||
        made->n_outputs > n + max_written(c->op->schema)) {
        wrong(c, "outputs says %u outputs, the reference makes %zu", n,
              made->n_outputs);
        return;
    }
    for (uint32_t i = 0; i < n && is_right(c, i, made); i++)
        continue;
}

int osw_outputs_check(osw_worker_t *worker, const struct osw_op *op,
                      const struct osw_gen_cases *cases, uint64_t limit,
                      struct osw_outputs_found *found, struct osw_error *err)
{
    struct comparing c = {.op = op, .found = found};
    char why[512];

    *found = (struct osw_outputs_found){.n_wrong = 0};
    for (uint64_t i = 0; i < cases->n && i < limit; i++) {
        const struct osw_bundle bundle =
            osw_bundle_of_case(op->dir, cases->at[i].text, cases->at[i].fill);

        c.case_text = cases->at[i].text;
        if (osw_worker_make(worker, &bundle, on_made, &c, why, err) < 0)
            return -1;
    }
    return 0;
}
