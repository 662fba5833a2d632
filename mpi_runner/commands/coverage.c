/* mpi_runner/commands/coverage.c - how many of the cases of some traces have
 * implementations */
#include "mpi_runner/commands/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "common/paths.h"
#include "common/text.h"
#include "mpi_runner/campaign/plan_load.h"
#include "ops/build/tool.h"
#include "ops/cases/suite.h"
#include "ops/catalog/catalog.h"
#include "ops/inputs/bind.h"
#include "ops/notation/notation.h"

/* To import torch. */
#define ASK_DEADLINE_NS INT64_C(120000000000)

/* What is known of the items of one suite. */
struct census {
    osw_arena_t *arena;
    osw_arena_t *scratch; /* of one case */
    const struct osw_campaign *campaign;
    struct osw_catalog cpu, cuda;
    struct osw_suite_list list;
    bool *in_torch; /* [list.n] of the first item of each operator */
    struct osw_error *err;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the coverage");
}

/* --- which operators torch has --- */

static const char ask_torch[] = "import sys, torch\n"
                                "print('torch', torch.__version__)\n"
                                "for name in sys.argv[1:]:\n"
                                "    here = torch.ops\n"
                                "    try:\n"
                                "        for part in name.split('.'):\n"
                                "            here = getattr(here, part)\n"
                                "        print(name)\n"
                                "    except (AttributeError, RuntimeError):\n"
                                "        pass\n";

/* Does a new operator begin at item i? */
static bool begins(const struct osw_suite_list *list, size_t i)
{
    return i == 0 ||
           strcmp(list->items[i - 1].op_name, list->items[i].op_name) != 0;
}

/* What the interpreter prints; *text is empty if it has no torch. */
static int run_python(struct census *c, struct osw_text *text)
{
    struct osw_error none = OSW_ERROR_INIT;
    const char **argv = osw_arena_array(c->arena, c->list.n + 4, sizeof(*argv));
    const struct osw_tool tool = {.argv = argv,
                                  .split = true,
                                  .deadline_ns = ASK_DEADLINE_NS,
                                  .sink = osw_tool_to_text,
                                  .sink_arg = text};
    struct osw_tool_end end = {.exit_code = -1};
    size_t n = 0;

    if (!argv)
        return no_memory(c->err);
    argv[n++] = osw_paths_python(c->campaign->python, &none);
    argv[n++] = "-c";
    argv[n++] = ask_torch;
    for (size_t i = 0; i < c->list.n; i++)
        if (begins(&c->list, i))
            argv[n++] = c->list.items[i].op_name;
    argv[n] = NULL;
    if (!argv[0] || osw_tool_run(&tool, &end, &none) < 0 || end.exit_code != 0)
        osw_text_reset(text);
    return osw_text_str(text) ? 0 : no_memory(c->err);
}

static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line);

    for (const char *at = strstr(text, line); at; at = strstr(at + 1, line))
        if ((at == text || at[-1] == '\n') && at[n] == '\n')
            return true;
    return false;
}

static int look_into_torch(struct census *c, struct osw_coverage *out)
{
    struct osw_text text = OSW_TEXT_INIT;
    int rc = run_python(c, &text);
    const char *said = rc == 0 ? osw_text_str(&text) : "";

    out->torch = osw_arena_strndup(c->arena, said, strcspn(said, "\n"));
    c->in_torch = osw_arena_array(c->arena, c->list.n, sizeof(bool));
    if (!out->torch || !c->in_torch)
        rc = no_memory(c->err);
    for (size_t i = 0; rc == 0 && i < c->list.n; i++) {
        const char *name = c->list.items[i].op_name;

        c->in_torch[i] = !begins(&c->list, i) ? c->in_torch[i - 1]
                         : *said              ? has_line(said, name)
                                              : strncmp(name, "aten.", 5) == 0;
    }
    osw_text_free(&text);
    return rc;
}

/* --- what there is for a case --- */

/* No op runs on c32. */
static int has_c32(struct census *c, const char *text, bool *out)
{
    struct osw_bound_tensor *tensors;
    struct osw_bound_arg *args;
    struct osw_case parsed;
    size_t n_args, n;

    *out = false;
    osw_arena_reset(c->scratch);
    if (osw_notation_parse_case(c->scratch, text, strlen(text), &parsed,
                                c->err) < 0 ||
        osw_bind(c->scratch, NULL, &parsed, &args, &n_args, c->err) < 0 ||
        osw_bind_tensors(c->scratch, args, n_args, &tensors, &n, c->err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        *out |= tensors[i].desc->dtype == OSW_C32;
    return 0;
}

static bool is_native(const struct osw_catalog *catalog,
                      const struct osw_suite_item *item)
{
    const struct osw_op *op = item->op && !item->why_not
                                  ? osw_catalog_find(catalog, item->op->name)
                                  : NULL;

    return op && op->n_impls > 0;
}

static void count(struct osw_coverage_count *n, uint64_t calls)
{
    n->operators = 1;
    n->cases++;
    n->calls += calls;
}

static int count_item(struct census *c, size_t i, struct osw_coverage_row *row)
{
    const struct osw_suite_item *item = &c->list.items[i];
    bool is[OSW_N_COVERAGE] = {false}, c32;

    if (has_c32(c, item->case_text, &c32) < 0)
        return -1;
    is[OSW_COVERAGE_CPU] = !c32 && is_native(&c->cpu, item);
    is[OSW_COVERAGE_CUDA] = !c32 && is_native(&c->cuda, item);
    if (!is[OSW_COVERAGE_CPU] && !is[OSW_COVERAGE_CUDA])
        is[!c32 && c->in_torch[i] ? OSW_COVERAGE_ATEN : OSW_COVERAGE_NONE] =
            true;
    count(&row->all, item->count);
    for (int k = 0; k < OSW_N_COVERAGE; k++)
        if (is[k])
            count(&row->of[k], item->count);
    return 0;
}

static int count_all(struct census *c, struct osw_coverage *out)
{
    out->rows = osw_arena_array(c->arena, c->list.n, sizeof(*out->rows));
    if (!out->rows)
        return no_memory(c->err);
    for (size_t i = 0; i < c->list.n; i++) {
        if (begins(&c->list, i)) {
            const char *name =
                osw_arena_strdup(c->arena, c->list.items[i].op_name);

            if (!name)
                return no_memory(c->err);
            out->rows[out->n++] = (struct osw_coverage_row){.op = name};
        }
        if (count_item(c, i, &out->rows[out->n - 1]) < 0)
            return -1;
    }
    osw_coverage_finish(out);
    return 0;
}

/* --- the order of rows --- */

static uint64_t not_native(const struct osw_coverage_row *r)
{
    return r->of[OSW_COVERAGE_ATEN].cases + r->of[OSW_COVERAGE_NONE].cases;
}

static uint64_t on_one_device(const struct osw_coverage_row *r)
{
    return 2 * r->all.cases - r->of[OSW_COVERAGE_CPU].cases -
           r->of[OSW_COVERAGE_CUDA].cases;
}

static int downwards(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_missing(const void *a, const void *b)
{
    const struct osw_coverage_row *x = a, *y = b;
    int order = downwards(not_native(x), not_native(y));

    if (order == 0)
        order = downwards(on_one_device(x), on_one_device(y));
    if (order == 0)
        order = downwards(x->all.cases, y->all.cases);
    return order ? order : strcmp(x->op, y->op);
}

static void add(struct osw_coverage_count *to,
                const struct osw_coverage_count *n)
{
    to->operators += n->operators;
    to->cases += n->cases;
    to->calls += n->calls;
}

void osw_coverage_finish(struct osw_coverage *coverage)
{
    struct osw_coverage_row *total = &coverage->total;

    *total = (struct osw_coverage_row){.op = "all"};
    if (coverage->n)
        qsort(coverage->rows, coverage->n, sizeof(*coverage->rows), by_missing);
    for (size_t i = 0; i < coverage->n; i++) {
        add(&total->all, &coverage->rows[i].all);
        for (int k = 0; k < OSW_N_COVERAGE; k++)
            add(&total->of[k], &coverage->rows[i].of[k]);
    }
}

/* --- all of it --- */

static int gather(struct census *c)
{
    const struct osw_campaign *campaign = c->campaign;
    const char *root = osw_campaign_root(campaign);
    const struct osw_suite_request request =
        osw_plan_request(campaign, &c->cpu, sizeof(struct osw_coverage_row));

    if (osw_catalog_scan(c->arena, &root, 1, "cpu", &c->cpu, c->err) < 0 ||
        osw_catalog_scan(c->arena, &root, 1, "cuda", &c->cuda, c->err) < 0)
        return -1;
    return osw_suite_expand(c->arena, osw_suite_find("traces"), &request,
                            &c->list, c->err);
}

int osw_coverage_load(osw_arena_t *arena, const struct osw_campaign *campaign,
                      struct osw_coverage *out, struct osw_error *err)
{
    struct osw_coverage coverage = {.torch = ""};
    struct census c = {.arena = arena,
                       .scratch = osw_arena_create(),
                       .campaign = campaign,
                       .err = err};
    int rc = c.scratch ? gather(&c) : no_memory(err);

    if (rc == 0)
        rc = look_into_torch(&c, &coverage);
    if (rc == 0)
        rc = count_all(&c, &coverage);
    if (rc == 0)
        *out = coverage;
    osw_suite_list_free(&c.list);
    osw_arena_destroy(c.scratch);
    return rc;
}
