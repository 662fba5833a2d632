/* mpi_runner/campaign/plan_impls.c - which implementations and cells a campaign
 * wants */
#include "mpi_runner/campaign/plan_impls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/suggest.h"
#include "ops/catalog/select.h"

bool osw_plan_impls_match(const struct osw_campaign *c, const struct osw_op *op,
                          const char *impl)
{
    char printed[2 * OSW_OP_MAX_NAME + 8];
    const char *names[] = {impl, printed};

    snprintf(printed, sizeof(printed), "%s__%s", op->folder, impl);
    return osw_select(c->impls, c->n_impls, names, 2);
}

/* A baseline has cells only where it is asked for by name. */
static bool wants_impl(const struct osw_planner *p, const struct osw_op *op,
                       const struct osw_op_file *impl)
{
    return osw_plan_impls_match(p->campaign, op, impl->name) &&
           (!impl->beside ||
            osw_select_includes(p->campaign->impls, p->campaign->n_impls));
}

/* Does the pattern match any implementation of the items' ops? */
static bool names_an_impl(const char *pattern,
                          const struct osw_suite_item *items, size_t n)
{
    struct osw_campaign one = {.impls = &pattern, .n_impls = 1};

    for (size_t i = 0; i < n; i++) {
        const struct osw_op *op = items[i].op;

        if (!op || (i > 0 && items[i - 1].op == op))
            continue;
        for (size_t k = 0; k < op->n_impls; k++)
            if (osw_plan_impls_match(&one, op, op->impls[k].name))
                return true;
    }
    return false;
}

static int unknown_impl(const struct osw_planner *p, const char *option,
                        const char *name, const struct osw_suite_item *items,
                        size_t n)
{
    const char *words[256], *near;
    char hint[OSW_SUGGEST_HINT];
    size_t n_words = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; items[i].op && k < items[i].op->n_impls; k++)
            if (n_words < sizeof(words) / sizeof(words[0]) &&
                (i == 0 || items[i - 1].op != items[i].op))
                words[n_words++] = items[i].op->impls[k].name;
    near = osw_suggest(name, words, n_words);
    return osw_fail(p->err, OSW_BAD_INPUT,
                    "option '--%s': no chosen op has an implementation '%s'%s",
                    option, name, osw_suggest_hint(near, hint));
}

int osw_plan_impls_check(const struct osw_planner *p,
                         const struct osw_suite_item *items, size_t n)
{
    const struct osw_campaign *c = p->campaign;

    for (size_t i = 0; i < c->n_impls; i++) {
        const char *pattern = c->impls[i] + (c->impls[i][0] == '!');

        if (!names_an_impl(pattern, items, n))
            return unknown_impl(p, "impls", pattern, items, n);
    }
    if (strcmp(c->baseline, "reference") == 0)
        return osw_fail(p->err, OSW_BAD_INPUT,
                        "option '--baseline': the reference is an oracle in "
                        "float64 and no baseline: expected an implementation");
    if (*c->baseline && !names_an_impl(c->baseline, items, n))
        return unknown_impl(p, "baseline", c->baseline, items, n);
    return 0;
}

int osw_plan_impls_of(struct osw_planner *p, const struct osw_op *op)
{
    struct osw_plan_impls *impls = &p->impls;
    size_t room = op ? op->n_impls : 0;

    if (impls->known && impls->op == op)
        return 0;
    *impls = (struct osw_plan_impls){
        .op = op,
        .at = osw_arena_array(p->arena, room, sizeof(*impls->at)),
        .known = true};
    if (!impls->at)
        return osw_plan_no_memory(p->err);
    for (size_t i = 0; i < room; i++)
        if (wants_impl(p, op, &op->impls[i]))
            impls->at[impls->n++] = &op->impls[i];
    return 0;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool osw_plan_impls_wants_cell(struct osw_planner *p, uint64_t key)
{
    const struct osw_campaign *c = p->campaign;
    const uint64_t *at;

    if (c->n_cells == 0)
        return true;
    at = bsearch(&key, c->cells, c->n_cells, sizeof(*c->cells), by_key);
    if (at)
        p->found[at - c->cells] = true;
    return at != NULL;
}

int osw_plan_impls_check_cells(struct osw_planner *p)
{
    const struct osw_campaign *c = p->campaign;

    for (size_t i = 0; i < c->n_cells; i++)
        if (!p->found[i])
            return osw_fail(p->err, OSW_BAD_INPUT,
                            "option '--cells': the suite and the other filters "
                            "leave no cell 0x%016" PRIx64,
                            c->cells[i]);
    return 0;
}
