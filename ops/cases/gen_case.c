/* ops/cases/gen_case.c - one case of an op: its text and its fills */
#include "ops/cases/gen_case.h"

#include <stdlib.h>
#include <string.h>

#include "common/grow.h"
#include "common/text.h"
#include "ops/inputs/bind.h"
#include "ops/inputs/torch_fills.h"
#include "ops/notation/notation.h"

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

static bool is_bound(const struct osw_bound_arg *args, size_t n,
                     const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(args[i].name, name) == 0)
            return true;
    return false;
}

/* The case's own rules, then those of the op that this case has a use for, then
 * what torch's operator of that name needs.
 */
static int resolve(osw_arena_t *arena, const struct osw_op *op,
                   const struct osw_case *parsed,
                   const struct osw_fill_rule *rules, size_t n,
                   const struct osw_fill **fills, size_t *n_fills,
                   struct osw_error *err)
{
    struct osw_fill_rule *all =
        osw_arena_array(arena, n + op->n_fills, sizeof(*all));
    const struct osw_torch_fills *torch = osw_torch_fills_find(op->name);
    struct osw_torch_call call;
    struct osw_bound_arg *args;
    size_t n_args, used = n;

    if (!all)
        return no_memory(err);
    if (osw_bind(arena, op->schema, parsed, &args, &n_args, err) < 0)
        return -1;
    if (n)
        memcpy(all, rules, n * sizeof(*all));
    for (size_t i = 0; i < op->n_fills; i++)
        if (is_bound(args, n_args, op->fills[i].arg))
            all[used++] = op->fills[i];
    call = (struct osw_torch_call){.args = args,
                                   .n_args = n_args,
                                   .unnamed = op->schema == NULL,
                                   .own = all,
                                   .n_own = used};
    return torch ? osw_torch_fills_resolve(arena, torch, &call, fills, n_fills,
                                           err)
                 : osw_fill_resolve(arena, args, n_args, all, used, fills,
                                    n_fills, err);
}

const char *osw_gen_case_text(osw_arena_t *arena, const struct osw_case *c)
{
    struct osw_text text = OSW_TEXT_INIT;
    const char *copy = NULL;

    osw_notation_print_case(&text, c);
    if (osw_text_str(&text))
        copy = osw_arena_strdup(arena, osw_text_str(&text));
    osw_text_free(&text);
    return copy;
}

int osw_gen_case_make(osw_arena_t *arena, const struct osw_op *op,
                      const struct osw_case *parsed,
                      const struct osw_fill_rule *rules, size_t n,
                      struct osw_gen_case *out, struct osw_error *err)
{
    struct osw_gen_case made = {.parsed = *parsed};
    const struct osw_fill *fills;
    size_t n_fills;

    if (resolve(arena, op, parsed, rules, n, &fills, &n_fills, err) < 0)
        return -1;
    made.text = osw_gen_case_text(arena, parsed);
    made.fill = osw_fill_list_text(arena, fills, n_fills);
    if (!made.text || !made.fill)
        return no_memory(err);
    *out = made;
    return 0;
}

void osw_gen_sink_begin(struct osw_gen_sink *sink)
{
    if (!sink->keep)
        osw_arena_reset(sink->arena);
}

int osw_gen_sink_put(struct osw_gen_sink *sink, const struct osw_gen_case *c,
                     struct osw_error *err)
{
    if (sink->take(sink->arg, c, err) < 0)
        return -1;
    sink->n++;
    return 0;
}

static int take(void *arg, const struct osw_gen_case *c, struct osw_error *err)
{
    struct osw_gen_list *l = arg;
    struct osw_gen_case *at = osw_grow(l->at, l->sink.n, &l->size, sizeof(*at));

    if (!at)
        return no_memory(err);
    l->at = at;
    l->at[l->sink.n] = *c;
    return 0;
}

void osw_gen_list_begin(struct osw_gen_list *list, osw_arena_t *arena)
{
    *list = (struct osw_gen_list){
        .sink = {.arena = arena, .keep = true, .take = take, .arg = list}};
}

int osw_gen_list_finish(struct osw_gen_list *list, int rc,
                        struct osw_gen_cases *out, struct osw_error *err)
{
    size_t n = list->sink.n;
    struct osw_gen_case *cases =
        rc == 0 ? osw_arena_array(list->sink.arena, n, sizeof(*cases)) : NULL;

    if (rc == 0 && !cases)
        rc = no_memory(err);
    if (rc == 0) {
        if (n)
            memcpy(cases, list->at, n * sizeof(*cases));
        *out = (struct osw_gen_cases){n, cases};
    }
    free(list->at);
    return rc;
}
