/* ops/cases/suite_folders.c - the cases that op folders list */
#include "ops/cases/suite_folders.h"

#include <string.h>

#include "ops/cases/gen_input.h"
#include "ops/cases/gen_lines.h"
#include "ops/catalog/select.h"

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

static bool wants_broken(const struct osw_suite_request *r,
                         const struct osw_left_out *out)
{
    return osw_catalog_wants_broken(out, r->ops, r->n_ops);
}

int osw_suite_folders_push_case(struct osw_suite_list *list,
                                const struct osw_op *op,
                                const struct osw_gen_case *c,
                                struct osw_error *err)
{
    const struct osw_suite_item item = {
        .op = op,
        .op_name = op->name,
        .case_text = c->text,
        .fill = c->fill,
        .count = c->count,
        .performance = c->performance,
        .digest = c->digest,
        .why_not = c->why_not,
        .broken = c->broken,
    };

    return osw_suite_list_push(list, &item, err);
}

/* One case that stands for all of an op, which cannot be had as `file` is
 * wrong; `op` is NULL where it is op.json.
 */
static int push_broken(struct osw_suite_gathering *g, const struct osw_op *op,
                       const char *name, const char *file, const char *why,
                       struct osw_error *err)
{
    struct osw_suite_item item = {.op = op, .op_name = name, .broken = true};
    struct osw_gen_case made;

    osw_arena_reset(g->scratch);
    if (osw_gen_lines_refuse(g->scratch, file, why, &made, err) < 0)
        return -1;
    item.case_text = made.text;
    item.fill = made.fill;
    item.why_not = made.why_not;
    return osw_suite_list_push(g->list, &item, err);
}

/* Two folders with one op name are reported by one cell. */
static bool is_told(const struct osw_suite_request *r, size_t at)
{
    const struct osw_left_out *all = r->catalog->left_out;

    for (size_t i = 0; i < at; i++)
        if (wants_broken(r, &all[i]) && strcmp(all[i].name, all[at].name) == 0)
            return true;
    return false;
}

/* The cases of one op on their way into the list. */
struct folder {
    struct osw_suite_list *list;
    const struct osw_op *op;
    bool first_only, full;
    struct osw_error *err; /* why the list takes no more */
};

static int take_case(void *arg, const struct osw_gen_case *c,
                     struct osw_error *err)
{
    struct folder *f = arg;

    if (f->full)
        return 0;
    f->full = f->first_only;
    if (osw_suite_folders_push_case(f->list, f->op, c, f->err) == 0)
        return 0;
    return osw_fail(err, f->err->status, "%s", f->err->text);
}

static int expect_cases(void *arg, size_t n, struct osw_error *err)
{
    struct folder *f = arg;

    if (f->first_only || osw_suite_list_expect(f->list, n, f->err) == 0)
        return 0;
    return osw_fail(err, f->err->status, "%s", f->err->text);
}

static int expand_folder(struct osw_suite_gathering *g, const struct osw_op *op,
                         bool first_only, struct osw_error *why,
                         struct osw_error *err)
{
    struct osw_error full = OSW_ERROR_INIT;
    struct folder folder = {g->list, op, first_only, false, &full};
    struct osw_gen_sink sink = {.arena = g->scratch,
                                .take = take_case,
                                .expect = expect_cases,
                                .arg = &folder};
    size_t before = g->list->n;

    if (osw_gen_input_each(op, &sink, why) == 0)
        return 0;
    if (full.status != OSW_OK)
        return osw_fail(err, full.status, "%s", full.text);
    if (why->status == OSW_NO_MEMORY)
        return no_memory(err);
    osw_suite_list_cut(g->list, before);
    return push_broken(g, op, op->name, osw_gen_input_file(op), why->text, err);
}

int osw_suite_folders_push(struct osw_suite_gathering *g, bool first_only,
                           struct osw_error *err)
{
    const struct osw_catalog *catalog = g->r->catalog;
    struct osw_error first = OSW_ERROR_INIT; /* of what is wrong */
    const char *first_op = "";
    bool any = false;

    for (size_t i = 0; i < catalog->n_ops; i++) {
        const struct osw_op *op = &catalog->ops[i];
        struct osw_error why = OSW_ERROR_INIT;

        if (!osw_catalog_wants(op, g->r->ops, g->r->n_ops))
            continue;
        if (expand_folder(g, op, first_only, &why, err) < 0)
            return -1;
        any |= why.status == OSW_OK;
        if (first.status == OSW_OK) {
            first = why;
            first_op = op->name;
        }
    }
    for (size_t i = 0; i < catalog->n_left_out; i++) {
        const struct osw_left_out *out = &catalog->left_out[i];

        if (wants_broken(g->r, out) && !is_told(g->r, i) &&
            push_broken(g, NULL, out->name, "op.json", out->why, err) < 0)
            return -1;
    }
    return any || first.status == OSW_OK
               ? 0
               : osw_fail(err, first.status, "op '%s': %s", first_op,
                          first.text);
}
