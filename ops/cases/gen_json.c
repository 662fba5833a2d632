/* ops/cases/gen_json.c - the cases that a gen_input.json lists */
#include "ops/cases/gen_json.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/text.h"
#include "ops/cases/trace.h"
#include "ops/notation/notation.h"

/* Cases as they come. */
struct gen {
    osw_arena_t *arena; /* of what they share */
    const struct osw_op *op;
    struct osw_gen_sink *sink;
    bool performance;  /* of the list that is being read */
    const char *shown; /* the case, where the file does not show it; or NULL */
    struct osw_error *err;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

/* Words of `why` at the place of v; no memory stays no memory. */
static int fail_at(const struct gen *g, const osw_json_t *v,
                   const struct osw_error *why)
{
    if (why->status == OSW_NO_MEMORY)
        return no_memory(g->err);
    if (g->shown)
        return osw_json_fail(v, g->err, "%s, in '%.120s'", why->text, g->shown);
    return osw_json_fail(v, g->err, "%s", why->text);
}

static int push(struct gen *g, const osw_json_t *v,
                const struct osw_case *parsed,
                const struct osw_fill_rule *rules, size_t n_rules,
                uint64_t count)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_gen_case made;

    if (g->sink->n == OSW_GEN_MAX_CASES)
        return osw_json_fail(v, g->err, "more than %d cases",
                             OSW_GEN_MAX_CASES);
    if (osw_gen_case_make(g->sink->arena, g->op, parsed, rules, n_rules, &made,
                          &why) < 0)
        return fail_at(g, v, &why);
    made.count = count;
    made.performance = g->performance;
    return osw_gen_sink_put(g->sink, &made, g->err);
}

static int push_text(struct gen *g, const osw_json_t *v, const char *text,
                     size_t n, const struct osw_fill_rule *rules,
                     size_t n_rules)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_case parsed;

    osw_gen_sink_begin(g->sink);
    if (osw_notation_parse_case(g->sink->arena, text, n, &parsed, &why) < 0)
        return fail_at(g, v, &why);
    return push(g, v, &parsed, rules, n_rules, 0);
}

/* --- holes --- */

struct hole {
    const char *name;
    const osw_json_t *values; /* a list that is not empty */
    size_t at;                /* index of the value that is in */
    bool used;
};

static int read_holes(struct gen *g, const osw_json_t *table,
                      struct hole *holes, size_t *n, size_t *total)
{
    *total = 1;
    *n = osw_json_size(table);
    if (osw_json_expect(table, OSW_JSON_OBJECT, g->err) < 0)
        return -1;
    if (*n > OSW_GEN_MAX_HOLES)
        return osw_json_fail(table, g->err, "more than %d names",
                             OSW_GEN_MAX_HOLES);
    for (size_t i = 0; i < *n; i++) {
        const osw_json_t *values = osw_json_at(table, i);

        if (osw_json_expect(values, OSW_JSON_LIST, g->err) < 0)
            return -1;
        if (osw_json_size(values) == 0)
            return osw_json_fail(values, g->err, "expected at least one value");
        holes[i] = (struct hole){osw_json_key(values), values, 0, false};
        if (osw_json_size(values) > OSW_GEN_MAX_CASES / *total)
            return osw_json_fail(table, g->err, "more than %d combinations",
                                 OSW_GEN_MAX_CASES);
        *total *= osw_json_size(values);
    }
    return 0;
}

/* Bytes of "{name}" at s, 0 when it is something else (a dictionary). */
static size_t hole_length(const char *s)
{
    size_t n = 1;

    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
           s[n] == '_' || (n > 1 && s[n] >= '0' && s[n] <= '9'))
        n++;
    return s[0] == '{' && n > 1 && s[n] == '}' ? n + 1 : 0;
}

static int add_value(struct gen *g, const osw_json_t *v, struct osw_text *out)
{
    const char *s = "";
    int64_t i = 0;
    double f = 0;
    bool b = false;

    switch (osw_json_kind(v)) {
    case OSW_JSON_BOOL:
        if (osw_json_bool(v, &b, g->err) < 0)
            return -1;
        osw_text_add(out, b ? "True" : "False");
        return 0;
    case OSW_JSON_STR:
        if (osw_json_str(v, &s, g->err) < 0)
            return -1;
        osw_text_add(out, s);
        return 0;
    case OSW_JSON_INT:
        if (osw_json_i64(v, &i, g->err) < 0)
            return -1;
        osw_text_printf(out, "%lld", (long long)i);
        return 0;
    case OSW_JSON_FLOAT:
        if (osw_json_f64(v, &f, g->err) < 0)
            return -1;
        osw_notation_print_value(
            out, &(struct osw_value){.kind = OSW_VALUE_FLOAT, .u.f = f});
        return 0;
    default:
        return osw_json_fail(v, g->err,
                             "expected a number, a string, true or false, "
                             "found %s",
                             osw_json_kind_name(osw_json_kind(v)));
    }
}

/* The case with the present values in its holes. */
static int substitute(struct gen *g, const osw_json_t *v, const char *text,
                      struct hole *holes, size_t n, struct osw_text *out)
{
    while (*text) {
        size_t plain = strcspn(text, "{"), length, i;

        osw_text_add_n(out, text, plain);
        text += plain;
        length = *text ? hole_length(text) : 0;
        if (length == 0) {
            osw_text_add_n(out, text, *text != '\0');
            text += *text != '\0';
            continue;
        }
        for (i = 0; i < n; i++)
            if (strlen(holes[i].name) == length - 2 &&
                memcmp(holes[i].name, text + 1, length - 2) == 0)
                break;
        if (i == n)
            return osw_json_fail(v, g->err, "no values for '%.*s' in 'for'",
                                 (int)(length < 64 ? length : 64), text);
        holes[i].used = true;
        if (add_value(g, osw_json_at(holes[i].values, holes[i].at), out) < 0)
            return -1;
        text += length;
        if (out->used > OSW_NOTATION_MAX_BYTES)
            return osw_json_fail(v, g->err, "a case of more than %d bytes",
                                 OSW_NOTATION_MAX_BYTES);
    }
    return osw_text_str(out) ? 0 : no_memory(g->err);
}

/* Step to the next combination, the last name fastest; false after the end. */
static bool next(struct hole *holes, size_t n)
{
    while (n-- > 0) {
        if (++holes[n].at < osw_json_size(holes[n].values))
            return true;
        holes[n].at = 0;
    }
    return false;
}

static int expand_holes(struct gen *g, const osw_json_t *v, const char *text,
                        struct hole *holes, size_t n,
                        const struct osw_fill_rule *rules, size_t n_rules)
{
    struct osw_text out = OSW_TEXT_INIT;
    int rc;

    do {
        osw_text_reset(&out);
        rc = substitute(g, v, text, holes, n, &out);
        for (size_t i = 0; rc == 0 && i < n; i++)
            if (!holes[i].used)
                rc = osw_json_fail(v, g->err, "no hole '{%s}' in the case",
                                   holes[i].name);
        g->shown = n ? osw_text_str(&out) : NULL;
        if (rc == 0)
            rc = push_text(g, v, osw_text_str(&out), out.used, rules, n_rules);
        g->shown = NULL;
    } while (rc == 0 && next(holes, n));
    osw_text_free(&out);
    return rc;
}

/* --- items of gen_input.json --- */

static int read_rules(struct gen *g, const osw_json_t *table,
                      struct osw_fill_rule **out, size_t *n)
{
    struct osw_fill_rule *rules;

    *n = osw_json_size(table);
    if (osw_json_expect(table, OSW_JSON_OBJECT, g->err) < 0)
        return -1;
    rules = osw_arena_array(g->arena, *n, sizeof(*rules));
    if (!rules)
        return no_memory(g->err);
    for (size_t i = 0; i < *n; i++) {
        const osw_json_t *item = osw_json_at(table, i);
        struct osw_error why = OSW_ERROR_INIT;
        const char *text = "";

        if (osw_json_expect(item, OSW_JSON_STR, g->err) < 0 ||
            osw_json_str(item, &text, g->err) < 0)
            return -1;
        if (osw_fill_check(text, NULL, &why) < 0)
            return fail_at(g, item, &why);
        rules[i].arg = osw_arena_strdup(g->arena, osw_json_key(item));
        rules[i].text = osw_arena_strdup(g->arena, text);
        if (!rules[i].arg || !rules[i].text)
            return no_memory(g->err);
    }
    *out = rules;
    return 0;
}

/* "NOTATION" */
static int add_string(struct gen *g, const osw_json_t *v)
{
    const char *text = "";

    if (osw_json_str(v, &text, g->err) < 0)
        return -1;
    return push_text(g, v, text, strlen(text), NULL, 0);
}

/* {"case": ..., "for": {...}, "fill": {...}} */
static int add_case(struct gen *g, const osw_json_t *v)
{
    static const char *const keys[] = {"case", "for", "fill", NULL};
    const osw_json_t *pattern = osw_json_get(v, "case");
    struct hole holes[OSW_GEN_MAX_HOLES];
    struct osw_fill_rule *rules;
    size_t n_holes, n_rules, total = 1;
    const char *text = "";

    if (osw_json_only_keys(v, keys, g->err) < 0 ||
        osw_json_expect(pattern, OSW_JSON_STR, g->err) < 0 ||
        osw_json_str(pattern, &text, g->err) < 0 ||
        read_holes(g, osw_json_get(v, "for"), holes, &n_holes, &total) < 0 ||
        read_rules(g, osw_json_get(v, "fill"), &rules, &n_rules) < 0)
        return -1;
    if (g->sink->expect && total > 1 &&
        g->sink->expect(g->sink->arg, total, g->err) < 0)
        return -1;
    return expand_holes(g, pattern, text, holes, n_holes, rules, n_rules);
}

/* Calls of our op in the trace, in its order; *n of them. */
static const struct osw_trace_entry **
own_calls(struct gen *g, const struct osw_trace *trace, size_t *n)
{
    const struct osw_trace_entry **calls =
        osw_arena_array(g->arena, trace->n, sizeof(*calls));

    *n = 0;
    for (size_t i = 0; calls && i < trace->n; i++)
        if (osw_op_is_called(g->op, trace->entries[i].op))
            calls[(*n)++] = &trace->entries[i];
    return calls;
}

static int by_count(const void *a, const void *b)
{
    const struct osw_trace_entry *x = *(const struct osw_trace_entry *const *)a;
    const struct osw_trace_entry *y = *(const struct osw_trace_entry *const *)b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_line(const void *a, const void *b)
{
    const struct osw_trace_entry *x = *(const struct osw_trace_entry *const *)a;
    const struct osw_trace_entry *y = *(const struct osw_trace_entry *const *)b;

    return x->line < y->line ? -1 : x->line > y->line;
}

static int read_trace(struct gen *g, const osw_json_t *file,
                      struct osw_trace *trace)
{
    const char *beside = g->op->cases_json;
    struct osw_error why = OSW_ERROR_INIT;
    const char *name = "";
    char *path;

    if (osw_json_expect(file, OSW_JSON_STR, g->err) < 0 ||
        osw_json_str(file, &name, g->err) < 0)
        return -1;
    if (*name == '/' || *name == '\0')
        return osw_json_fail(file, g->err,
                             "expected a file's name, from the op's folder on");
    path = beside ? osw_arena_printf(g->arena, "%.*s/%s",
                                     (int)(strrchr(beside, '/') - beside),
                                     beside, name)
                  : osw_arena_printf(g->arena, "%s/%s", g->op->dir, name);
    if (!path)
        return no_memory(g->err);
    if (osw_trace_read(g->arena, path, trace, &why) < 0)
        return fail_at(g, file, &why);
    return 0;
}

/* {"trace": FILE, "top": N, "fill": {...}} */
static int add_trace(struct gen *g, const osw_json_t *v)
{
    static const char *const keys[] = {"trace", "top", "fill", NULL};
    const osw_json_t *file = osw_json_get(v, "trace");
    const struct osw_trace_entry **calls;
    struct osw_fill_rule *rules;
    struct osw_trace trace;
    uint64_t top = 0;
    size_t n, n_rules;

    if (osw_json_only_keys(v, keys, g->err) < 0 ||
        osw_json_u64(osw_json_get(v, "top"), &top, g->err) < 0 ||
        read_rules(g, osw_json_get(v, "fill"), &rules, &n_rules) < 0 ||
        read_trace(g, file, &trace) < 0)
        return -1;
    calls = own_calls(g, &trace, &n);
    if (!calls)
        return no_memory(g->err);
    if (n == 0)
        return osw_json_fail(file, g->err, "no call of %s in this trace",
                             g->op->name);
    qsort(calls, n, sizeof(*calls), by_count);
    if (top > 0 && top < n)
        n = (size_t)top;
    qsort(calls, n, sizeof(*calls), by_line);
    for (size_t i = 0; i < n; i++) {
        g->shown = calls[i]->text;
        osw_gen_sink_begin(g->sink);
        if (push(g, file, &calls[i]->args, rules, n_rules,
                 (uint64_t)calls[i]->count) < 0)
            return -1;
        g->shown = NULL;
    }
    return 0;
}

static int add_item(struct gen *g, const osw_json_t *v)
{
    if (osw_json_kind(v) == OSW_JSON_STR)
        return add_string(g, v);
    if (osw_json_get(v, "case"))
        return add_case(g, v);
    if (osw_json_get(v, "trace"))
        return add_trace(g, v);
    return osw_json_fail(v, g->err,
                         "expected a case as a string, or an object with "
                         "'case' or 'trace', found %s",
                         osw_json_kind_name(osw_json_kind(v)));
}

static int read_document(struct gen *g, const osw_json_t *doc)
{
    static const char *const keys[] = {"correctness", "performance", NULL};

    if (osw_json_expect(doc, OSW_JSON_OBJECT, g->err) < 0 ||
        osw_json_only_keys(doc, keys, g->err) < 0)
        return -1;
    for (size_t k = 0; keys[k]; k++) {
        const osw_json_t *list = osw_json_get(doc, keys[k]);

        if (osw_json_expect(list, OSW_JSON_LIST, g->err) < 0)
            return -1;
        g->performance = k == 1;
        for (size_t i = 0; i < osw_json_size(list); i++)
            if (add_item(g, osw_json_at(list, i)) < 0)
                return -1;
    }
    if (g->sink->n == 0)
        return osw_json_fail(doc, g->err,
                             "expected at least one case in 'correctness' or "
                             "'performance'");
    return 0;
}

static int expand(osw_arena_t *arena, const struct osw_op *op, osw_json_t *doc,
                  struct osw_gen_sink *sink, struct osw_error *err)
{
    struct gen g = {.arena = arena, .op = op, .sink = sink, .err = err};
    int rc;

    if (!doc)
        return -1;
    rc = read_document(&g, doc);
    osw_json_free(doc);
    return rc;
}

int osw_gen_json_parse(osw_arena_t *arena, const struct osw_op *op,
                       const char *text, size_t n, const char *source,
                       struct osw_gen_sink *sink, struct osw_error *err)
{
    return expand(arena, op, osw_json_parse(text, n, source, err), sink, err);
}

int osw_gen_json_load(osw_arena_t *arena, const struct osw_op *op,
                      struct osw_gen_sink *sink, struct osw_error *err)
{
    return expand(arena, op, osw_json_load_file(op->cases_json, err), sink,
                  err);
}
