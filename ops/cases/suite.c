/* ops/cases/suite.c - suites: which cases a campaign asks for, as a table */
#include "ops/cases/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ops/cases/gen_input.h"
#include "ops/cases/gen_lines.h"
#include "ops/cases/opinfo.h"
#include "ops/cases/overload.h"
#include "ops/cases/suite_folders.h"
#include "ops/cases/trace.h"
#include "ops/catalog/op_own.h"
#include "ops/catalog/select.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_DEPTH = 8 };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

/* --- the filter --- */

static bool wants_op(const struct osw_suite_request *r, const struct osw_op *op)
{
    return osw_catalog_wants(op, r->ops, r->n_ops);
}

/* An op of which only the name is known. */
static struct osw_op name_alone(const char *name)
{
    return (struct osw_op){.name = name, .folder = name};
}

/* As a trace or torch names it; `op` is NULL where none covers it. */
static bool wants(const struct osw_suite_request *r, const struct osw_op *op,
                  const char *name)
{
    const struct osw_op named = name_alone(name);

    return wants_op(r, op ? op : &named);
}

static bool names_a_trace(const struct osw_suite_list *list,
                          const char *pattern)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct osw_op op = name_alone(list->items[i].op_name);

        if (osw_catalog_matches(&op, pattern))
            return true;
    }
    return false;
}

/* Every pattern must mean something, so that a typing mistake is noticed. */
static int check_filter(const struct osw_suite_request *r,
                        const struct osw_suite_list *list,
                        struct osw_error *err)
{
    for (size_t i = 0; i < r->n_ops; i++) {
        const char *pattern = r->ops[i] + (r->ops[i][0] == '!');

        if (!names_a_trace(list, pattern) &&
            osw_catalog_check(r->catalog, pattern, err) < 0)
            return r->root && *r->root ? osw_error_in(err, "'%s'", r->root)
                                       : -1;
    }
    return 0;
}

static bool wants_broken(const struct osw_suite_request *r,
                         const struct osw_left_out *out)
{
    return osw_catalog_wants_broken(out, r->ops, r->n_ops);
}

/* A broken folder costs its own op, unless nothing else was asked for. */
static int check_broken(const struct osw_suite_request *r,
                        struct osw_error *err)
{
    for (size_t i = 0; i < r->catalog->n_ops; i++)
        if (wants_op(r, &r->catalog->ops[i]))
            return 0;
    for (size_t i = 0; i < r->catalog->n_left_out; i++)
        if (wants_broken(r, &r->catalog->left_out[i]))
            return osw_fail(err, OSW_BAD_INPUT, "%s",
                            r->catalog->left_out[i].why);
    return 0;
}

/* --- suites over op folders --- */

static int expand_smoke(struct osw_suite_gathering *g, struct osw_error *err)
{
    return osw_suite_folders_push(g, true, err);
}

static int expand_custom_ops(struct osw_suite_gathering *g,
                             struct osw_error *err)
{
    return osw_suite_folders_push(g, false, err);
}

/* --- traces --- */

/* NULL: nothing covers it, or its folder is *broken. */
static int find_op(const struct osw_suite_request *r, const char *name,
                   const struct osw_op **op, const struct osw_left_out **broken,
                   struct osw_error *err)
{
    *op = osw_catalog_find(r->catalog, name);
    *broken = *op ? NULL : osw_catalog_find_broken(r->catalog, name);
    if (*op || *broken || !r->make_op)
        return 0;
    *op = r->make_op(r->make_arg, name, err);
    return *op ? 0 : -1;
}

static const char *why_none(const struct osw_left_out *broken)
{
    return broken ? broken->why : "no folder of this op";
}

/* A call of a trace as an item.  A call that does not fit the op's schema
 * cannot be judged, and says why: traces come from elsewhere.
 */
static int push_call(struct osw_suite_gathering *g,
                     const struct osw_trace_entry *call, struct osw_error *err)
{
    const struct osw_op *op;
    const struct osw_left_out *broken;
    struct osw_suite_item item;
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_gen_case made;

    if (find_op(g->r, call->op, &op, &broken, err) < 0)
        return -1;
    item = (struct osw_suite_item){
        .op = op,
        .op_name = op ? op->name : call->op,
        .fill = "",
        .count = (uint64_t)call->count,
        .performance = true,
        .broken = broken != NULL,
    };
    if (!wants(g->r, op, item.op_name))
        return 0;
    osw_arena_reset(g->scratch);
    if (op && osw_gen_case_make(g->scratch, op, &call->args, NULL, 0, &made,
                                &why) == 0) {
        item.case_text = made.text;
        item.fill = made.fill;
        return osw_suite_list_push(g->list, &item, err);
    }
    item.case_text = osw_gen_case_text(g->scratch, &call->args);
    item.why_not = op ? why.text : why_none(broken);
    if (why.status == OSW_NO_MEMORY || !item.case_text)
        return no_memory(err);
    return osw_suite_list_push(g->list, &item, err);
}

static int expand_file(struct osw_suite_gathering *g, const char *path,
                       struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_trace trace = {.n = 0};
    int rc = arena ? osw_trace_read(arena, path, &trace, err) : no_memory(err);

    for (size_t i = 0; rc == 0 && i < trace.n; i++)
        rc = push_call(g, &trace.entries[i], err);
    g->n_trace_files++;
    osw_arena_destroy(arena);
    return rc;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Folders, and files ending in .txt. */
static int is_trace(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return entry->d_name[0] != '.' &&
           (entry->d_type == DT_DIR || entry->d_type == DT_LNK ||
            entry->d_type == DT_UNKNOWN ||
            (n > 4 && strcmp(entry->d_name + n - 4, ".txt") == 0));
}

static int expand_path(struct osw_suite_gathering *g, const char *path,
                       int depth, struct osw_error *err)
{
    struct dirent **entries;
    int rc = 0, n;

    if (!is_folder(path))
        return expand_file(g, path, err);
    if (depth == MAX_DEPTH)
        return osw_fail(err, OSW_BAD_INPUT, "'%s': more than %d folders deep",
                        path, MAX_DEPTH);
    n = scandir(path, &entries, is_trace, alphasort);
    if (n < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", path);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        const char *below =
            osw_arena_printf(g->list->arena, "%s/%s", path, name);

        if (rc == 0 && !below)
            rc = no_memory(err);
        if (rc == 0 && (is_folder(below) ||
                        (length > 4 && strcmp(name + length - 4, ".txt") == 0)))
            rc = expand_path(g, below, depth + 1, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static int expand_traces(struct osw_suite_gathering *g, struct osw_error *err)
{
    const struct osw_suite_request *r = g->r;

    for (size_t i = 0; i < r->n_traces; i++) {
        size_t before = g->n_trace_files;

        if (expand_path(g, r->traces[i], 0, err) < 0)
            return err && err->status != OSW_NO_MEMORY
                       ? osw_error_in(err, "option '--traces'")
                       : -1;
        if (g->n_trace_files == before)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--traces': '%s': expected trace files "
                            "(*.txt), found none",
                            r->traces[i]);
    }
    return 0;
}

/* --- torch's op database --- */

/* Without an op it is kept as it came, and cannot be judged. */
static int push_test(struct osw_suite_gathering *g, const struct osw_op *op,
                     const struct osw_left_out *broken,
                     const struct osw_opinfo_case *c, struct osw_error *err)
{
    static const struct osw_op none = {.folder = ""};
    struct osw_gen_case made = {.digest = c->digest};
    struct osw_suite_item item;
    const char *name, *why;

    if (!wants(g->r, op, c->op))
        return 0;
    osw_arena_reset(g->scratch);
    name = osw_arena_printf(g->scratch, "sample %u", c->number);
    why = osw_arena_strndup(g->scratch, c->text, c->n);
    if (!name || !why)
        return no_memory(err);
    if ((c->bad ? osw_gen_lines_refuse(g->scratch, name, why, &made, err)
                : osw_gen_lines_case(g->scratch, op ? op : &none, c->number,
                                     NULL, c->text, c->n, &made, err)) < 0)
        return -1;
    item = (struct osw_suite_item){
        .op = op,
        .op_name = op ? op->name : c->op,
        .case_text = made.text,
        .fill = made.fill,
        .digest = made.digest,
        .why_not = made.why_not || op ? made.why_not : why_none(broken),
        .broken = broken != NULL,
    };
    return osw_suite_list_push(g->list, &item, err);
}

static int expand_opinfo(struct osw_suite_gathering *g, struct osw_error *err)
{
    const struct osw_suite_request *r = g->r;
    struct osw_suite_list *list = g->list;
    const char *path = osw_op_own_path(list->arena, "opsweep_opinfo.py", err);
    const char *asked =
        osw_arena_printf(list->arena, "%s %s", r->opinfo_dtypes, r->device);
    const struct osw_left_out *broken = NULL;
    const struct osw_op *op = NULL;
    struct osw_opinfo info;
    const char *lines;
    size_t n;

    if (!path || !asked ||
        osw_gen_input_run(list->arena, path, asked, true, &lines, &n, err) <
            0 ||
        osw_opinfo_parse(list->arena, lines, n, &info, err) < 0)
        return -1;
    for (size_t i = 0; i < info.n_cases; i++) {
        const struct osw_opinfo_case *c = &info.cases[i];

        if ((i == 0 || c->op != c[-1].op) &&
            find_op(r, c->op, &op, &broken, err) < 0)
            return -1;
        if (push_test(g, op, broken, c, err) < 0)
            return -1;
    }
    if (r->opinfo)
        *r->opinfo = info;
    return 0;
}

/* --- a single case --- */

static int check_given_fill(osw_arena_t *arena, const char *fill,
                            const struct osw_gen_case *made,
                            const char **canonical, struct osw_error *err)
{
    const struct osw_fill *fills, *needed;
    size_t n, n_needed;

    if (osw_fill_list_parse(arena, fill, strlen(fill), &fills, &n, err) < 0 ||
        osw_fill_list_parse(arena, made->fill, strlen(made->fill), &needed,
                            &n_needed, err) < 0)
        return osw_error_in(err, "option '--fill': '%.100s'", fill);
    if (n != n_needed)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--fill': '%.100s': expected one for each of "
                        "%zu tensors, "
                        "found %zu",
                        fill, n_needed, n);
    *canonical = osw_fill_list_text(arena, fills, n);
    return *canonical ? 0 : no_memory(err);
}

static int expand_given(struct osw_suite_gathering *g, struct osw_error *err)
{
    const struct osw_suite_request *r = g->r;
    struct osw_suite_list *list = g->list;
    const struct osw_op *op = NULL;
    struct osw_gen_case made;
    struct osw_case parsed;
    size_t n = 0;

    for (size_t i = 0; i < r->catalog->n_ops; i++)
        if (r->n_ops > 0 && wants_op(r, &r->catalog->ops[i])) {
            op = &r->catalog->ops[i];
            n++;
        }
    if (n != 1)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--case' needs '--ops' with one op, "
                        "found %zu",
                        n);
    if (osw_notation_parse_case(list->arena, r->given, strlen(r->given),
                                &parsed, err) < 0 ||
        osw_gen_case_make(list->arena, op, &parsed, NULL, 0, &made, err) < 0)
        return osw_error_in(err, "option '--case'");
    if (r->fill &&
        check_given_fill(list->arena, r->fill, &made, &made.fill, err) < 0)
        return -1;
    made.performance = true;
    return osw_suite_folders_push_case(list, op, &made, err);
}

/* --- the table --- */

static const struct osw_suite suites[] = {
    {"smoke", "the first case of every op", .expand = expand_smoke},
    {"custom_ops", "all cases of your own ops", .needs_custom_root = true,
     .expand = expand_custom_ops},
    {"traces", "the calls in trace files", .needs_traces = true,
     .names_ops = true, .expand = expand_traces},
    {"opinfo", "samples of torch's own op database", .slow = true,
     .names_ops = true, .expand = expand_opinfo},
};

const struct osw_suite *osw_suite_find(const char *name)
{
    for (size_t i = 0; i < N_ELEM(suites); i++)
        if (strcmp(suites[i].name, name) == 0)
            return &suites[i];
    return NULL;
}

const struct osw_suite *osw_suite_at(size_t i)
{
    return i < N_ELEM(suites) ? &suites[i] : NULL;
}

/* Names without an overload, by the names that the suite itself brings: all of
 * it is expanded, and filtered afterwards.
 */
static int expand_open(const struct osw_suite *suite,
                       struct osw_suite_gathering *g,
                       struct osw_suite_request *r, struct osw_error *err)
{
    struct osw_suite_request all = *r;
    struct osw_suite_list *list = g->list;
    const char **names;
    size_t n = 0;

    all.n_ops = 0;
    g->r = &all;
    if (suite->expand(g, err) < 0)
        return -1;
    g->r = r;
    names = osw_arena_array(list->arena, list->n, sizeof(*names));
    if (!names)
        return no_memory(err);
    for (size_t i = 0; i < list->n; i++)
        names[i] = list->items[i].op_name;
    if (osw_overload_resolve(list->arena, r->catalog, names, list->n, r->ops,
                             r->n_ops, &r->ops, err) < 0 ||
        check_filter(r, list, err) < 0)
        return -1;
    for (size_t i = 0; i < list->n; i++)
        if (wants(r, list->items[i].op, list->items[i].op_name))
            list->items[n++] = list->items[i];
    list->n = n;
    return 0;
}

/* Are all names of the suite needed, to resolve a pattern, or to know that one
 * excludes any?
 */
static bool is_open(const struct osw_suite_request *r)
{
    for (size_t i = 0; i < r->n_ops; i++) {
        bool excludes = r->ops[i][0] == '!';
        const char *pattern = r->ops[i] + excludes;

        if (osw_overload_is_open(r->catalog, pattern) ||
            (excludes && !osw_catalog_has(r->catalog, pattern)))
            return true;
    }
    return false;
}

static int expand(const struct osw_suite *suite, struct osw_suite_gathering *g,
                  struct osw_suite_request *r, struct osw_error *err)
{
    struct osw_suite_list *list = g->list;

    g->r = r;
    if (suite->names_ops && !r->given && is_open(r))
        return check_broken(r, err) < 0 ? -1 : expand_open(suite, g, r, err);
    if (osw_overload_resolve(list->arena, r->catalog, NULL, 0, r->ops, r->n_ops,
                             &r->ops, err) < 0 ||
        check_broken(r, err) < 0)
        return -1;
    return (r->given ? expand_given : suite->expand)(g, err) < 0
               ? -1
               : check_filter(r, list, err);
}

int osw_suite_expand(osw_arena_t *arena, const struct osw_suite *suite,
                     const struct osw_suite_request *request,
                     struct osw_suite_list *out, struct osw_error *err)
{
    struct osw_suite_request r = *request;
    struct osw_suite_gathering g = {.list = out, .scratch = osw_arena_create()};
    int rc = -1;

    *out = (struct osw_suite_list){.arena = arena, .memory = request->memory};
    if (!g.scratch)
        no_memory(err);
    else
        rc = expand(suite, &g, &r, err);
    osw_arena_destroy(g.scratch);
    return rc < 0
               ? -1
               : osw_suite_list_arrange(out,
                                        suite->needs_traces ? request->top : 0,
                                        request->top_by_size, err);
}
