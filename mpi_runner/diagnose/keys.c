/* mpi_runner/diagnose/keys.c - do the keys of op.json fit the cases? */
#include "mpi_runner/diagnose/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mpi_runner/campaign/cost.h"
#include "ops/inputs/bind.h"
#include "ops/inputs/fill_text.h"
#include "ops/inputs/trials.h"

static void wrong(struct osw_keys_found *f, const char *fmt, ...)
    OSW_PRINTF(2, 3);

static void wrong(struct osw_keys_found *f, const char *fmt, ...)
{
    va_list ap;

    if (f->n_wrong++ > 0)
        return;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof(f->text), fmt, ap);
    va_end(ap);
}

static bool names_argument(struct osw_arena *memory, const char *name,
                           const struct osw_gen_cases *cases)
{
    for (size_t i = 0; i < cases->n; i++) {
        struct osw_bound_arg *args;
        size_t n;

        if (osw_bind(memory, NULL, &cases->at[i].parsed, &args, &n, NULL) < 0)
            return true; /* not known */
        for (size_t k = 0; k < n; k++)
            if (strcmp(args[k].name, name) == 0)
                return true;
    }
    return false;
}

static void check_fills(struct osw_arena *memory, const struct osw_op *op,
                        const struct osw_gen_cases *cases,
                        struct osw_keys_found *f)
{
    for (size_t i = 0; !op->schema && i < op->n_fills; i++)
        if (!names_argument(memory, op->fills[i].arg, cases))
            wrong(f,
                  "op.json: key 'fill.%s': no case has this argument; without "
                  "a schema they are arg0, arg1, ... and keywords",
                  op->fills[i].arg);
}

/* The tensors of a case; false: not known. */
static bool bind_tensors(struct osw_arena *memory, const struct osw_op *op,
                         const struct osw_gen_case *c,
                         struct osw_bound_tensor **tensors, size_t *n)
{
    struct osw_bound_arg *args;
    size_t n_args;

    return osw_bind(memory, op->schema, &c->parsed, &args, &n_args, NULL) ==
               0 &&
           osw_bind_tensors(memory, args, n_args, tensors, n, NULL) == 0;
}

static bool is_small_integers(struct osw_arena *memory, const struct osw_op *op,
                              const struct osw_gen_case *c)
{
    struct osw_bound_tensor *tensors;
    const struct osw_fill *fills;
    size_t n, n_fills;

    if (!bind_tensors(memory, op, c, &tensors, &n) ||
        osw_fill_list_parse(memory, c->fill, strlen(c->fill), &fills, &n_fills,
                            NULL) < 0)
        return false;
    for (size_t i = 0; i < n && i < n_fills; i++) {
        enum osw_dtype_id dtype = tensors[i].desc->dtype;

        if (osw_trial_fill_of(OSW_TRIAL_WIDE, dtype, &fills[i]).kind !=
            OSW_FILL_WIDE)
            return false;
    }
    return n > 0 && n == n_fills;
}

static void note_small_integers(struct osw_arena *memory,
                                const struct osw_op *op,
                                const struct osw_gen_cases *cases,
                                struct osw_keys_found *f)
{
    size_t i = 0;

    if (op->says_trials || op->trials >> OSW_TRIAL_WIDE & 1)
        return;
    while (i < cases->n && !is_small_integers(memory, op, &cases->at[i]))
        i++;
    if (i < cases->n)
        snprintf(
            f->note, sizeof(f->note),
            "integers are small in case %.300s; \"trials\": [\"wide\"] "
            "tries large ones too, \"trials\": [] says that there are none",
            cases->at[i].text);
}

/* Are the rows of its floating tensors, those of vectors apart, all short? */
static bool has_short_rows(struct osw_arena *memory, const struct osw_op *op,
                           const struct osw_gen_case *c)
{
    struct osw_bound_tensor *tensors;
    size_t n, n_short = 0;

    if (!bind_tensors(memory, op, c, &tensors, &n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct osw_tensor_desc *t = tensors[i].desc;

        if (!osw_dtype_is_floating(osw_dtype_info((int)t->dtype)) ||
            t->ndim < 2)
            continue;
        if (!osw_trial_is_short(t->shape[t->ndim - 1]))
            return false;
        n_short++;
    }
    return n_short > 0;
}

static void note_short_rows(struct osw_arena *memory, const struct osw_op *op,
                            const struct osw_gen_cases *cases,
                            struct osw_keys_found *f)
{
    if (!(op->trials >> OSW_TRIAL_OFFSET & 1) || cases->n == 0)
        return;
    for (size_t i = 0; i < cases->n; i++)
        if (!has_short_rows(memory, op, &cases->at[i]))
            return;
    snprintf(f->note, sizeof(f->note),
             "the trial 'offset' is not made: all cases have rows of 2 to 7 "
             "elements, as %.300s has; add one with longer rows",
             cases->at[0].text);
}

int osw_keys_check(struct osw_arena *memory, const struct osw_op *op,
                   const struct osw_gen_cases *cases,
                   struct osw_keys_found *found, struct osw_error *err)
{
    *found = (struct osw_keys_found){.n_wrong = 0};
    check_fills(memory, op, cases, found);
    note_small_integers(memory, op, cases, found);
    note_short_rows(memory, op, cases, found);
    for (size_t i = 0; i < cases->n; i++) {
        struct osw_error why = OSW_ERROR_INIT;
        struct osw_case_size size;

        if (osw_cost_of_case(memory, op, &cases->at[i].parsed, &size, &why) ==
            0)
            continue;
        if (why.status == OSW_NO_MEMORY)
            return osw_fail(err, OSW_NO_MEMORY, "%s", why.text);
        wrong(found, "%s; case %s", why.text, cases->at[i].text);
        break;
    }
    return 0;
}
