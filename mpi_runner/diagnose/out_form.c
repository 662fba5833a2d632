/* mpi_runner/diagnose/out_form.c - does an `.out` op make what its functional
 * op makes?
 */
#include "mpi_runner/diagnose/out_form.h"

#include <stdio.h>
#include <string.h>

#include "ops/cases/gen_input.h"
#include "ops/catalog/op_load.h"
#include "ops/notation/schema_out.h"

/* The folder beside op's; NULL: no memory. */
static const char *folder_of(osw_arena_t *memory, const struct osw_op *op,
                             const struct osw_schema *functional)
{
    const char *slash = strrchr(op->dir, '/');

    return osw_arena_printf(memory, "%.*s%s%s%s",
                            slash ? (int)(slash - op->dir) + 1 : 0, op->dir,
                            functional->name, *functional->overload ? "__" : "",
                            functional->overload);
}

/* The functional op in a folder: that of an overload may be named without it.
 */
static int load_functional(osw_arena_t *memory, const char *dir,
                           const char *device, struct osw_op *out,
                           struct osw_error *why)
{
    if (osw_op_load(memory, dir, device, out, why) < 0)
        return -1;
    if (out->schema && osw_schema_n_outs(out->schema) == 0)
        return 0;
    return osw_fail(why, OSW_BAD_INPUT,
                    "'%s': expected a schema without outs, found %s", dir,
                    out->schema ? out->name : "none");
}

/* 0 with its first case in *out; -1: why is set. */
static int take_case(osw_arena_t *memory, struct osw_out_form *out,
                     struct osw_error *why)
{
    struct osw_gen_cases cases;

    if (osw_gen_input_load(memory, &out->functional, &cases, why) < 0)
        return -1;
    for (size_t i = 0; i < cases.n; i++)
        if (!cases.at[i].why_not) {
            out->at = cases.at[i];
            return 0;
        }
    return osw_fail(why, OSW_BAD_INPUT, "'%s' has no case",
                    out->functional.dir);
}

int osw_out_form_find(osw_arena_t *memory, const struct osw_op *op,
                      const char *device, struct osw_out_form *out,
                      struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_schema functional;
    const char *dir;

    *out = (struct osw_out_form){.n_outs = 0};
    if (!op->schema || osw_schema_n_outs(op->schema) == 0)
        return 0;
    if (osw_schema_functional(memory, op->schema, &functional, err) < 0)
        return -1;
    dir = folder_of(memory, op, &functional);
    if (!dir)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an out");
    out->n_outs = osw_schema_n_outs(op->schema);
    if (load_functional(memory, dir, device, &out->functional, &why) < 0 ||
        take_case(memory, out, &why) < 0)
        snprintf(out->why, sizeof(out->why), "no functional op: %.480s",
                 why.text);
    return why.status == OSW_NO_MEMORY
               ? osw_fail(err, OSW_NO_MEMORY, "%s", why.text)
               : 0;
}

int osw_out_form_check(osw_worker_t *worker, const struct osw_out_form *f,
                       const struct osw_op *op, const char *impl,
                       struct osw_subtest *found, struct osw_error *err)
{
    struct osw_bundle functional =
        osw_bundle_of_case(f->functional.dir, f->at.text, f->at.fill);
    struct osw_bundle out = osw_bundle_of_case(op->dir, f->at.text, f->at.fill);

    *found = (struct osw_subtest){.state = OSW_SUBTEST_WAS_SKIPPED};
    if (*f->why) {
        snprintf(found->text, sizeof(found->text), "%s", f->why);
        return 0;
    }
    return osw_worker_out_form(worker, &functional, &out, impl, f->n_outs,
                               found, err);
}
