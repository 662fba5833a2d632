/* ops/inputs/fill_text.c - fills as text: parsed, printed, resolved for a case
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/inputs/expr.h"
#include "ops/inputs/fill_text.h"
#include "ops/notation/tensor.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Whole numbers that a double holds exactly. */
#define WHOLE_MAX 9007199254740992.0

static const struct kind_row {
    enum osw_fill_kind kind;
    const char *name;
    int n_args;
} kinds[] = {
#define X(number, NAME, text, n_args) {OSW_FILL_##NAME, text, n_args},
    OSW_FILL_MAP(X)
#undef X
};

static const char kind_names[] = "one of"
#define X(number, NAME, text, n_args) " " text
    OSW_FILL_MAP(X)
#undef X
    ;

static const struct kind_row *row_of(enum osw_fill_kind kind)
{
    for (size_t i = 0; i < N_ELEM(kinds); i++)
        if (kinds[i].kind == kind)
            return &kinds[i];
    return NULL;
}

static bool is_whole(double v)
{
    return v == floor(v) && fabs(v) <= WHOLE_MAX;
}

/* --- parse --- */

static int expected(const char *text, size_t n, size_t at, const char *what,
                    struct osw_error *err)
{
    if (at >= n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: expected %s, found the end", at + 1, what);
    return osw_fail(err, OSW_BAD_INPUT, "column %zu: expected %s, found '%.*s'",
                    at + 1, what, (int)(n - at < 32 ? n - at : 32), text + at);
}

static size_t skip_blank(const char *text, size_t n, size_t at)
{
    while (at < n && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

/* What a fill may be asked for, whatever the case. */
static int check_range(const struct osw_fill *f, size_t column,
                       struct osw_error *err)
{
    switch (f->kind) {
    case OSW_FILL_SMALLINT:
        if (is_whole(f->a) && f->a >= 0)
            return 0;
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: smallint(q) needs a whole q >= 0, found "
                        "%g",
                        column, f->a);
    case OSW_FILL_INT:
        if (is_whole(f->a) && is_whole(f->b) && f->a <= f->b)
            return 0;
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: int(lo, hi) needs whole lo <= hi, found "
                        "%g, %g",
                        column, f->a, f->b);
    case OSW_FILL_INDEX:
    case OSW_FILL_SHARES:
        if (is_whole(f->a) && f->a >= 0)
            return 0;
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: %s(n) needs a whole n >= 0, found %g",
                        column, row_of(f->kind)->name, f->a);
    case OSW_FILL_DISTINCT:
        if (is_whole(f->a) && is_whole(f->b) && f->a >= 0 && f->b >= 1)
            return 0;
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: distinct(n, run) needs whole n >= 0 and "
                        "run >= 1, found %g, %g",
                        column, f->a, f->b);
    case OSW_FILL_ASCENDING:
        if (f->a <= f->b)
            return 0;
        return osw_fail(err, OSW_BAD_INPUT,
                        "column %zu: ascending(lo, hi) needs lo <= hi, found "
                        "%g, %g",
                        column, f->a, f->b);
    default:
        return 0;
    }
}

/* What `constant` takes and no expression gives. */
static bool take_word(const char *text, size_t n, size_t *at, double *out)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    size_t start = skip_blank(text, n, *at);

    for (size_t i = 0; i < N_ELEM(words); i++) {
        size_t length = strlen(words[i].word);
        size_t end = skip_blank(text, n, start + length);

        if (end < n && text[end] == ')' &&
            memcmp(text + start, words[i].word, length) == 0) {
            *out = words[i].value;
            *at = end;
            return true;
        }
    }
    return false;
}

/* One fill at text[*at..n); *at moves past it. */
static int parse_prefix(const char *text, size_t n, size_t *at,
                        const struct osw_expr_env *env, struct osw_fill *out,
                        struct osw_error *err)
{
    const struct kind_row *row = NULL;
    size_t start = skip_blank(text, n, *at), i = start;
    double args[2] = {0, 0};

    while (i < n && ((text[i] >= 'a' && text[i] <= 'z')))
        i++;
    for (size_t k = 0; k < N_ELEM(kinds); k++)
        if (strlen(kinds[k].name) == i - start &&
            memcmp(kinds[k].name, text + start, i - start) == 0)
            row = &kinds[k];
    if (!row)
        return expected(text, n, start, kind_names, err);
    i = skip_blank(text, n, i);
    for (int k = 0; k < row->n_args; k++) {
        if (i >= n || text[i] != (k ? ',' : '('))
            return expected(text, n, i, k ? "','" : "'('", err);
        i++;
        if (row->kind == OSW_FILL_CONSTANT && take_word(text, n, &i, &args[k]))
            continue;
        if (osw_expr_eval_prefix(text, n, &i, env, &args[k], err) < 0)
            return -1;
    }
    if (row->n_args && (i >= n || text[i] != ')'))
        return expected(text, n, i, "')'", err);
    if (row->n_args)
        i = skip_blank(text, n, i + 1);
    *out = (struct osw_fill){.kind = row->kind, .a = args[0], .b = args[1]};
    *at = i;
    return env->syntax_only ? 0 : check_range(out, start + 1, err);
}

static int parse_whole(const char *text, size_t n,
                       const struct osw_expr_env *env, struct osw_fill *out,
                       struct osw_error *err)
{
    struct osw_fill f;
    size_t at = 0;

    if (parse_prefix(text, n, &at, env, &f, err) < 0)
        return -1;
    if (at < n)
        return expected(text, n, at, "the end of the fill", err);
    *out = f;
    return 0;
}

int osw_fill_parse(const char *text, size_t n, const struct osw_bound_arg *args,
                   size_t n_args, struct osw_fill *out, struct osw_error *err)
{
    const struct osw_expr_env env = {.args = args, .n_args = n_args};

    return parse_whole(text, n, &env, out, err);
}

int osw_fill_check(const char *text, const struct osw_schema *schema,
                   struct osw_error *err)
{
    const struct osw_expr_env env = {.syntax_only = true, .schema = schema};
    struct osw_fill f;

    return parse_whole(text, strlen(text), &env, &f, err);
}

int osw_fill_list_parse(osw_arena_t *arena, const char *text, size_t n,
                        const struct osw_fill **out, size_t *n_out,
                        struct osw_error *err)
{
    const struct osw_expr_env env = {.n_args = 0};
    size_t room = 1, used = 0, at = 0;
    struct osw_fill *fills;

    if (n > OSW_FILL_MAX_BYTES)
        return osw_fail(err, OSW_BAD_INPUT,
                        "fills of %zu bytes, expected at most %d", n,
                        OSW_FILL_MAX_BYTES);
    for (size_t i = 0; i < n; i++)
        room += text[i] == ',';
    if (room > OSW_FILL_MAX_LIST)
        room = OSW_FILL_MAX_LIST;
    fills = osw_arena_array(arena, room, sizeof(*fills));
    if (!fills)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu fills", room);
    while (skip_blank(text, n, at) < n || used > 0) {
        if (used == room)
            return osw_fail(err, OSW_BAD_INPUT,
                            "column %zu: more than %d fills", at + 1,
                            OSW_FILL_MAX_LIST);
        if (parse_prefix(text, n, &at, &env, &fills[used], err) < 0)
            return -1;
        used++;
        if (at == n)
            break;
        if (text[at] != ',')
            return expected(text, n, at, "',' or the end", err);
        at++;
    }
    *out = fills;
    *n_out = used;
    return 0;
}

/* --- print --- */

static void print_number(struct osw_text *out, double v)
{
    char word[40];

    if (is_whole(v)) {
        osw_text_printf(out, "%.0f", v == 0 ? 0.0 : v);
        return;
    }
    if (isnan(v)) {
        osw_text_add(out, "nan");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(word, sizeof(word), "%.*g", digits, v);
        if (strtod(word, NULL) == v)
            break;
    }
    osw_text_add(out, word);
}

void osw_fill_print(struct osw_text *out, const struct osw_fill *fill)
{
    const struct kind_row *row = row_of(fill->kind);

    osw_text_add(out, row ? row->name : "default");
    if (!row || row->n_args == 0)
        return;
    osw_text_add(out, "(");
    print_number(out, fill->a);
    if (row->n_args > 1) {
        osw_text_add(out, ",");
        print_number(out, fill->b);
    }
    osw_text_add(out, ")");
}

void osw_fill_list_print(struct osw_text *out, const struct osw_fill *fills,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            osw_text_add(out, ",");
        osw_fill_print(out, &fills[i]);
    }
}

const char *osw_fill_list_text(osw_arena_t *arena, const struct osw_fill *fills,
                               size_t n)
{
    struct osw_text text = OSW_TEXT_INIT;
    const char *copy = NULL;

    osw_fill_list_print(&text, fills, n);
    if (osw_text_str(&text))
        copy = osw_arena_strdup(arena, osw_text_str(&text));
    osw_text_free(&text);
    return copy;
}

/* --- resolve --- */

struct osw_fill osw_fill_of_dtype(enum osw_dtype_id dtype)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)dtype);

    if (dtype == OSW_U8)
        return (struct osw_fill){OSW_FILL_INT, 0, 8};
    if (info && info->class == OSW_CLASS_INT)
        return (struct osw_fill){OSW_FILL_INT, -8, 8};
    if (info && info->class == OSW_CLASS_BOOL)
        return (struct osw_fill){OSW_FILL_BOOL, 0, 0};
    return (struct osw_fill){OSW_FILL_NORMAL, 0, 0};
}

static const struct osw_fill_rule *find_rule(const struct osw_fill_rule *rules,
                                             size_t n, const char *arg)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i].arg, arg) == 0)
            return &rules[i];
    return NULL;
}

static bool is_arg(const struct osw_bound_arg *args, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(args[i].name, name) == 0)
            return true;
    return false;
}

static int fail_unknown(const char *name, const struct osw_bound_arg *args,
                        size_t n, struct osw_error *err)
{
    char names[128] = "";
    size_t at = 0;

    for (size_t i = 0; i < n && at < sizeof(names); i++)
        at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
                               i ? ", " : "", args[i].name);
    return osw_fail(err, OSW_BAD_INPUT,
                    "fill for '%s': expected an argument of the op: %s%s", name,
                    names, at < sizeof(names) ? "" : "...");
}

int osw_fill_fits(const struct osw_fill *fill,
                  const struct osw_tensor_desc *desc, struct osw_error *err)
{
    int64_t n = osw_tensor_numel(desc->ndim, desc->shape);
    enum osw_dtype_class class = osw_dtype_info((int)desc->dtype)->class;

    if (fill->kind == OSW_FILL_CONSTANT && !isfinite(fill->a) &&
        (class == OSW_CLASS_INT || class == OSW_CLASS_BOOL))
        return osw_fail(err, OSW_BAD_INPUT,
                        "constant(%g): expected a finite number for a tensor "
                        "of %s",
                        fill->a, osw_dtype_info((int)desc->dtype)->name);
    if ((fill->kind != OSW_FILL_INDEX && fill->kind != OSW_FILL_DISTINCT) ||
        fill->a > 0 || n == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "%s(0) has no index for a tensor of %lld elements: "
                    "expected an empty one",
                    row_of(fill->kind)->name, (long long)n);
}

int osw_fill_resolve(osw_arena_t *arena, const struct osw_bound_arg *args,
                     size_t n_args, const struct osw_fill_rule *rules,
                     size_t n_rules, const struct osw_fill **out, size_t *n_out,
                     struct osw_error *err)
{
    struct osw_bound_tensor *tensors;
    struct osw_fill *fills;
    size_t n;

    for (size_t i = 0; i < n_rules; i++)
        if (!is_arg(args, n_args, rules[i].arg))
            return fail_unknown(rules[i].arg, args, n_args, err);
    if (osw_bind_tensors(arena, args, n_args, &tensors, &n, err) < 0)
        return -1;
    fills = osw_arena_array(arena, n, sizeof(*fills));
    if (!fills)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu fills", n);
    for (size_t i = 0; i < n; i++) {
        const struct osw_fill_rule *rule =
            find_rule(rules, n_rules, args[tensors[i].arg].name);

        if (!rule)
            fills[i] = osw_fill_of_dtype(tensors[i].desc->dtype);
        else if (osw_fill_parse(rule->text, strlen(rule->text), args, n_args,
                                &fills[i], err) < 0 ||
                 osw_fill_fits(&fills[i], tensors[i].desc, err) < 0)
            return osw_error_in(err, "fill for '%s'", rule->arg);
    }
    *out = fills;
    *n_out = n;
    return 0;
}
